//! Shapes of JSON, declared once: what a field is called and says, its type, and where its value comes from.

/// Declares objects of a JSON report: fields with their words, types and values, and `from` what each object is made.
///
/// An object serializes itself. Its published schema, which a test derives from this declaration, has the same words.
/// Statements after `from` come before the values.
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
