//! `--set`: a general register, or an argument on the stack, and what it is set to.

use runtime::image::Preset;
use runtime::report::escaped;

/// The general registers by their numbers.
pub(crate) const REGISTERS: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];

/// The place whose initial value is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Register {
        number: usize,
        /// Whether it is named by its lower half, of 16 bits.
        half: bool,
    },
    /// The dword so many bytes above the return address of a fragment.
    Argument(u32),
}

/// A place and what it is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set {
    pub(crate) place: Place,
    /// A number or a name of the program.
    pub(crate) value: String,
}

/// Parses `REGISTER=VALUE`.
///
/// # Errors
/// One line: it is no such assignment, or there is no such register or argument.
pub(super) fn set(text: &str) -> Result<Set, String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write REGISTER=VALUE, as in `esi=buffer` or `ecx=100`")?;
    let name = name.trim().to_ascii_lowercase();
    if name.starts_with('[') {
        let place = argument(&name).ok_or_else(|| {
            let name = escaped(&name);
            format!("`{name}` is not an argument on the stack: write `[esp+4]`, `[esp+8]` and so on")
        })?;
        return given(place, &name, value);
    }
    let mut names = REGISTERS.iter();
    let register = names.position(|register| *register == name || register[1..] == name);
    let register = register.ok_or_else(|| {
        let name = escaped(&name);
        format!(
            "`{name}` is not a general register: {}, or ax and the other lower halves",
            REGISTERS.join(", ")
        )
    })?;
    let half = name.len() == 2;
    given(Place::Register { number: register, half }, &name, value)
}

fn given(place: Place, name: &str, value: &str) -> Result<Set, String> {
    match value.trim() {
        "" => Err(format!("nothing is given for {}", escaped(name))),
        value => Ok(Set {
            place,
            value: value.to_owned(),
        }),
    }
}

/// The argument that `[esp+8]` names, where the return address is at `[esp]`.
fn argument(name: &str) -> Option<Place> {
    let inside = name.strip_prefix('[')?.strip_suffix(']')?;
    let (base, distance) = inside.split_once('+')?;
    let distance = distance.trim();
    let distance = match distance.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => distance.parse().ok()?,
    };
    let within = (4..=Preset::LAST_ARGUMENT).contains(&distance) && distance.is_multiple_of(4);
    (base.trim() == "esp" && within).then_some(Place::Argument(distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_known_by_their_names() {
        assert_eq!(
            set(" ESI = table"),
            Ok(Set {
                place: Place::Register { number: 6, half: false },
                value: "table".to_owned()
            })
        );
        let place = |text| set(text).map(|set| set.place);
        assert_eq!(place("si=1"), Ok(Place::Register { number: 6, half: true }));
        assert_eq!(place("[ESP + 0x10]=1"), Ok(Place::Argument(16)));
        for wrong in ["[esp]=1", "[esp+6]=1", "[ebp+8]=1", "[esp+99999999]=1"] {
            assert!(
                place(wrong).is_err_and(|why| why.contains("write `[esp+4]`")),
                "{wrong}"
            );
        }
        assert!(set("al=1").is_err_and(|why| why.contains("`al` is not a general register: eax, ecx")));
        assert!(set("esi").is_err() && set("esi= ").is_err());
    }
}
