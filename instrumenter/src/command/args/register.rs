//! `--set`: a general register and what it is set to.

use runtime::report::escaped;

/// The general registers by their numbers.
pub(crate) const REGISTERS: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];

/// A register and what it is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set {
    /// The number of the register.
    pub(crate) register: usize,
    /// Whether it is named by its lower half, of 16 bits.
    pub(crate) half: bool,
    /// A number or a name of the program.
    pub(crate) value: String,
}

/// Parses `REGISTER=VALUE`.
///
/// # Errors
/// One line: it is no such assignment, or there is no such register.
pub(super) fn set(text: &str) -> Result<Set, String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write REGISTER=VALUE, as in `esi=buffer` or `ecx=100`")?;
    let name = name.trim().to_ascii_lowercase();
    let mut names = REGISTERS.iter();
    let register = names.position(|register| *register == name || register[1..] == name);
    let register = register.ok_or_else(|| {
        let name = escaped(&name);
        format!(
            "`{name}` is not a general register: {}, or ax and the other lower halves",
            REGISTERS.join(", ")
        )
    })?;
    match value.trim() {
        "" => Err(format!("nothing is given for {name}")),
        value => Ok(Set {
            register,
            half: name.len() == 2,
            value: value.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_known_by_their_names() {
        assert_eq!(
            set(" ESI = table"),
            Ok(Set {
                register: 6,
                half: false,
                value: "table".to_owned()
            })
        );
        assert_eq!(set("si=1").map(|set| (set.register, set.half)), Ok((6, true)));
        assert!(set("al=1").is_err_and(|why| why.contains("`al` is not a general register: eax, ecx")));
        assert!(set("esi").is_err() && set("esi= ").is_err());
    }
}
