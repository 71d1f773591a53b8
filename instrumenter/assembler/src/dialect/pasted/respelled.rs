//! Single instructions of AT&T syntax in Intel's order, and back: for tools that change instructions of a text.
//!
//! Numbers and names stay as GNU's assembler reads them: an immediate operand without its mark, memory in brackets with
//! its displacement last. Such a text is for comparing and changing operands, not for assembling.

use super::att_names::{Order, operation};
use super::att_operand::{Memory, Operand, operand, split};
use super::detect::detect;
use super::msvc;
use super::table::{is_of_top, is_shift, prefix};
use super::word::{first_word, words};
use super::{LOOKED_AT, att};
use crate::dialect::foreign::Sign;
use crate::select;

/// How a text writes its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As MASM and TASM do.
    Masm,
    /// As GNU's assembler does.
    Gnu {
        /// Whether it is in AT&T syntax.
        att: bool,
        /// Whether semicolons separate instructions.
        separates: bool,
    },
    /// As compilers and disassemblers list them, with addresses or bytes beside them.
    Listing,
}

impl Spelling {
    pub(in super::super) fn of(text: &str, own: &[Sign]) -> Spelling {
        let seen = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
        match detect(text, own) {
            _ if msvc::is_msvc(seen) => Spelling::Listing,
            None => Spelling::Masm,
            Some(found) if found.listing => Spelling::Listing,
            Some(found) => Spelling::Gnu {
                att: found.att,
                separates: found.style.separates,
            },
        }
    }

    /// What begins a comment after an instruction.
    pub fn comment(self) -> char {
        match self {
            Spelling::Gnu { .. } => '#',
            Spelling::Masm | Spelling::Listing => ';',
        }
    }

    /// Whether a comment or nothing is in the rest of a line.
    pub fn is_comment(self, rest: &str) -> bool {
        let rest = rest.trim_start();
        let rest = match self {
            // A statement that is empty is none.
            Spelling::Gnu { separates: true, .. } => {
                rest.trim_start_matches(|one: char| one == ';' || one.is_whitespace())
            }
            _ if rest.starts_with(';') => return true,
            _ => rest,
        };
        rest.is_empty() || rest.starts_with(self.comment())
    }

    /// Whether instructions are in AT&T syntax.
    pub fn is_att(self) -> bool {
        matches!(self, Spelling::Gnu { att: true, .. })
    }
}

/// An instruction of AT&T syntax in Intel's order; `None` if it is not an instruction on general registers, numbers and
/// memory, or has a prefix.
pub fn att_in_intel(text: &str) -> Option<String> {
    let (mnemonic, rest) = first_word(text, 0..text.len());
    let word = text[mnemonic].to_ascii_lowercase();
    if prefix(&word).is_some() || word.starts_with('f') {
        return None;
    }
    let mut operands: Vec<Operand<'_>> = Vec::new();
    for place in split(text, rest) {
        operands.push(operand(text, place)?);
    }
    let kinds: Vec<&Operand<'_>> = operands.iter().collect();
    let found = operation(&word, &kinds)?;
    let branches = select::instruction(&found.name).is_some_and(|one| one.takes_target);
    let size = match found.name.as_str() {
        "lea" => None,
        name => found.size.or_else(|| att::of_registers(name, &kinds)),
    };
    let mut texts = Vec::new();
    for one in &operands {
        texts.push(in_intel(text, one, size, branches)?);
    }
    if found.order == Order::Reversed {
        texts.reverse();
    }
    if is_shift(&found.name) && texts.len() == 1 {
        texts.push("1".to_owned());
    }
    Some(format!("{} {}", found.name, texts.join(", ")).trim_end().to_owned())
}

/// A number or a name that no register is; empty if there is none.
fn plain(text: &str) -> Option<&str> {
    let is_register = |word: &str| select::register(word).is_some() || word.eq_ignore_ascii_case("ptr");
    let known = words(text, 0..text.len())
        .into_iter()
        .any(|word| is_register(&text[word]));
    let other = text.contains(['"', '\'', '[', ']', '<', '%', '@', ':']);
    (!known && !other).then(|| text.trim())
}

fn in_intel(line: &str, operand: &Operand<'_>, size: Option<&str>, branches: bool) -> Option<String> {
    match operand {
        Operand::Register(name) => select::register(name)?.is_gpr().then(|| (*name).to_owned()),
        Operand::Immediate(part) => plain(&line[part.clone()])
            .filter(|text| !text.is_empty())
            .map(str::to_owned),
        Operand::Memory(memory) if branches && memory.is_plain() => {
            plain(&line[memory.displacement.clone()]).map(str::to_owned)
        }
        Operand::Memory(memory) => {
            let Memory {
                segment: None,
                base,
                index,
                scale,
                ..
            } = memory
            else {
                return None;
            };
            let displacement = plain(&line[memory.displacement.clone()])?;
            let index = index.map(|index| match *scale {
                "1" => index.to_owned(),
                scale => format!("{index}*{scale}"),
            });
            let registers: Vec<String> = base.map(str::to_owned).into_iter().chain(index).collect();
            let mut inside = registers.join("+");
            if !displacement.is_empty() {
                let between = if inside.is_empty() || displacement.starts_with(['-', '+']) {
                    ""
                } else {
                    "+"
                };
                inside += &format!("{between}{displacement}");
            }
            let size = size.map(|size| format!("{size} ptr ")).unwrap_or_default();
            Some(format!("{size}[{inside}]"))
        }
        Operand::Indirect(_) => None,
    }
}

/// An instruction in Intel's order in AT&T syntax, with the suffix of its size; `None` if it is not one that
/// [`att_in_intel`] writes.
pub fn intel_in_att(text: &str) -> Option<String> {
    let (mnemonic, rest) = first_word(text, 0..text.len());
    let name = text[mnemonic].to_ascii_lowercase();
    let known = select::instruction(&name)?;
    if name.starts_with('f') || is_of_top(&name) || matches!(name.as_str(), "movzx" | "movsx" | "enter" | "bound") {
        return None;
    }
    let rest = text[rest].trim();
    let parts: Vec<&str> = match rest {
        "" => Vec::new(),
        rest => rest.split(',').map(str::trim).collect(),
    };
    let mut texts = Vec::new();
    let mut size = None;
    for (at, part) in parts.iter().enumerate() {
        let (own, operand) = match known.takes_target {
            true => (None, plain(part)?.to_owned()),
            false => in_att(part)?,
        };
        // The count of a shift has a size of its own.
        if !(is_shift(&name) && at > 0) {
            size = size.or(own);
        }
        texts.push(operand);
    }
    texts.reverse();
    let suffix = match (known.takes_target, size) {
        (false, Some(1)) => "b",
        (false, Some(2)) => "w",
        (false, Some(4)) => "l",
        _ => "",
    };
    Some(format!("{name}{suffix} {}", texts.join(",")).trim_end().to_owned())
}

/// An operand with its size in bytes, if it has one.
fn in_att(part: &str) -> Option<(Option<usize>, String)> {
    if let Some(register) = select::register(part) {
        let size = register.is_gpr().then(|| register.size())?;
        return Some((Some(size), format!("%{}", part.to_ascii_lowercase())));
    }
    let Some(open) = part.find('[') else {
        return plain(part)
            .filter(|text| !text.is_empty())
            .map(|text| (None, format!("${text}")));
    };
    let size = match part[..open].trim().to_ascii_lowercase().as_str() {
        "byte ptr" => Some(1),
        "word ptr" => Some(2),
        "dword ptr" => Some(4),
        "" => None,
        _ => return None,
    };
    let inside = part[open + 1..].strip_suffix(']')?;
    let (mut base, mut index, mut displacement) = (None, None, String::new());
    for term in terms(inside) {
        let unsigned = term.strip_prefix('+').unwrap_or(term).trim();
        let (name, scale) = unsigned.split_once('*').unwrap_or((unsigned, ""));
        let (name, scale) = (name.trim(), scale.trim());
        match select::register(name) {
            Some(register) if !register.is_gpr32() => return None,
            Some(_) if scale.is_empty() && base.is_none() => base = Some(name),
            Some(_) if index.is_none() => index = Some((name, if scale.is_empty() { "1" } else { scale })),
            Some(_) => return None,
            None => displacement += plain(term)?,
        }
    }
    let displacement = displacement.strip_prefix('+').unwrap_or(&displacement);
    let base = base.map(|base| format!("%{base}")).unwrap_or_default();
    let registers = match index {
        Some((index, "1")) if !base.is_empty() => format!("({base},%{index})"),
        Some((index, scale)) => format!("({base},%{index},{scale})"),
        None if base.is_empty() => String::new(),
        None => format!("({base})"),
    };
    // Without a displacement, an index alone would be the address 0 of GNU's assembler as well; compilers write it.
    let zero = if base.is_empty() && index.is_some() && displacement.is_empty() {
        "0"
    } else {
        ""
    };
    Some((size, format!("{zero}{displacement}{registers}")))
}

/// The terms of a sum outside parentheses, each with its sign.
fn terms(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0u32);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            // A sign after an operator belongs to a number.
            '+' | '-'
                if depth == 0
                    && !text[start..at].trim().is_empty()
                    && !text[..at].trim_end().ends_with(['*', '/', '+', '-']) =>
            {
                found.push(text[start..at].trim());
                start = at;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::{att_in_intel, intel_in_att};

    #[test]
    fn instructions_in_intels_order_and_back() {
        for (att, intel) in [
            ("movl %eax,%ecx", "mov ecx, eax"),
            ("addl $3,tab(,%eax,4)", "add dword ptr [eax*4+tab], 3"),
            ("movl $tab+4,%edx", "mov edx, tab+4"),
            ("leal 0x10(%ecx,%edx),%ecx", "lea ecx, [ecx+edx+0x10]"),
            ("cmpb $7,-1(%ebp)", "cmp byte ptr [ebp-1], 7"),
            ("incw count", "inc word ptr [count]"),
            ("pushl 8(%esp)", "push dword ptr [esp+8]"),
            ("movb %al,(%edi)", "mov byte ptr [edi], al"),
            ("sall $5,%ecx", "sal ecx, 5"),
            ("shrl %cl,%eax", "shr eax, cl"),
            ("imull $10,%eax,%edx", "imul edx, eax, 10"),
            ("movl -4+tab(%ebx,%esi,8),%eax", "mov eax, dword ptr [ebx+esi*8-4+tab]"),
            ("jnz .L3", "jnz .L3"),
        ] {
            assert_eq!(att_in_intel(att).as_deref(), Some(intel), "{att}");
            assert_eq!(intel_in_att(intel).as_deref(), Some(att), "{intel}");
        }
        let widened = att_in_intel("movzbl (%edx), %ecx");
        assert_eq!(widened.as_deref(), Some("movzx ecx, byte ptr [edx]"));
        let written = intel_in_att("lea eax,[ecx*4]");
        assert_eq!(written.as_deref(), Some("leal 0(,%ecx,4),%eax"));
        // What has a mark, a prefix or another unit stays as it is.
        for other in [
            "fsubrp %st, %st(1)",
            "rep movsl",
            "movl %gs:0, %eax",
            "movl $eax, %ecx",
            "jmp *%eax",
        ] {
            assert_eq!(att_in_intel(other), None, "{other}");
        }
    }
}
