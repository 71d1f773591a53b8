//! The objects of JSON reports, each declared once: its fields with name, description, type and source of the value.

/// Declares objects of a JSON report: fields with description, type and value, and after `from` the source of the
/// object.
///
/// An object serializes itself. A test derives its published schema from this declaration, with the same descriptions.
/// Statements after `from` are executed before the values.
macro_rules! document {
    ($(
        $(#[$object:meta])*
        $visibility:vis struct $name:ident $(<$life:lifetime>)? {
            $($(#[$field:meta])* $key:ident: $kind:ty = $value:expr,)*
        }
        from ($($source:ident: $type:ty),* $(,)?) $({ $($before:tt)* })?
    )*) => {$(
        #[derive(serde::Serialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        $(#[$object])*
        $visibility struct $name $(<$life>)? {
            $($(#[$field])* pub(crate) $key: $kind,)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            pub(crate) fn of($($source: $type),*) -> Self {
                $($($before)*)?
                $name { $($key: $value),* }
            }
        }
    )*};
}
pub(crate) use document;

/// The version of p5inst, which reports in JSON tell.
pub(crate) const P5INST: &str = env!("CARGO_PKG_VERSION");

/// A report in JSON for a snapshot, which does not change with the version.
#[cfg(test)]
pub(crate) fn unversioned(report: &str) -> String {
    let version = format!("\"version\": \"{P5INST}\"");
    assert!(report.contains(&version), "{report}");
    report.replace(&version, "\"version\": \"VERSION\"")
}
