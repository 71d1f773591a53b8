//! The rules of substitution, with the words by which `advise --help` shows them.

/// A rule, named after the instructions that it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// An instruction clears a register.
    Clear,
    /// An instruction compares a register with 0.
    Test,
    /// An instruction shifts a register left by one.
    Double,
    /// An instruction changes a register by one.
    Step,
    /// An instruction complements a register.
    Complement,
    /// LEA adds a number to a register.
    AddNumber,
    /// A copy of a register and an addition to the copy.
    CopyAndAdd,
    /// A product that an address can express.
    MultiplyByAddress,
    /// A product with a power of two.
    MultiplyByShift,
    /// An extension of a byte or word with zeros.
    Extend,
    /// A LOOP.
    Loop,
    /// A read-modify-write of memory.
    Modify,
    /// A read-modify-write that changes memory by one.
    StepMemory,
    /// A push of a memory operand.
    Push,
    /// A store of a number with a displacement.
    StoreNumber,
    /// Steps of two chains of floating-point operations.
    Exchange,
}

pub(crate) struct Known {
    /// The replaced instructions.
    pub(crate) before: &'static str,
    /// The new instructions.
    pub(crate) after: &'static str,
    /// The condition of the rule.
    pub(crate) needs: &'static str,
}

impl Rule {
    /// All rules, in the order of the help.
    pub(crate) const ALL: &[Rule] = &[
        Rule::Clear,
        Rule::Test,
        Rule::Double,
        Rule::Step,
        Rule::Complement,
        Rule::AddNumber,
        Rule::CopyAndAdd,
        Rule::MultiplyByAddress,
        Rule::MultiplyByShift,
        Rule::Extend,
        Rule::Loop,
        Rule::Modify,
        Rule::StepMemory,
        Rule::Push,
        Rule::StoreNumber,
        Rule::Exchange,
    ];

    pub(crate) fn words(self) -> Known {
        let [before, after, needs] = match self {
            Rule::Clear => ["mov r,0", "xor r,r", "the flags are dead"],
            Rule::Test => [
                "cmp r,0 / or r,r / and r,r",
                "test r,r",
                "AF is dead, which matters for cmp only",
            ],
            Rule::Double => ["shl r,1", "add r,r", "AF is dead"],
            Rule::Step => [
                "add r,1 / sub r,1",
                "inc r / dec r",
                "CF is dead; also the other way round",
            ],
            Rule::Complement => ["not r", "xor r,-1", "the flags are dead"],
            Rule::AddNumber => ["lea r,[r+n]", "add r,n", "the flags are dead; below 0 it is sub"],
            Rule::CopyAndAdd => [
                "mov r,s / add r,n",
                "lea r,[s+n]",
                "the flags are dead; n may be a register",
            ],
            Rule::MultiplyByAddress => [
                "imul r,s,n",
                "lea r,[s+s*m]",
                "the flags are dead; n is 3, 5, 9, or 2, 4, 8 if r is not s",
            ],
            Rule::MultiplyByShift => ["imul r,n", "shl r,m", "the flags are dead; n is 2 to the power of m"],
            Rule::Extend => [
                "movzx r,m",
                "xor r,r / mov p,m",
                "the flags are dead; p is the low byte or word of r",
            ],
            Rule::Loop => ["loop label", "dec ecx / jnz label", "the flags but CF are dead"],
            Rule::Modify => [
                "add [m],s and the like",
                "mov t,[m] / add t,s / mov [m],t",
                "a register t is dead",
            ],
            Rule::StepMemory => [
                "inc [m] / dec [m]",
                "mov t,[m] / inc t / mov [m],t",
                "a register t is dead",
            ],
            Rule::Push => ["push [m]", "mov t,[m] / push t", "a register t is dead"],
            Rule::StoreNumber => ["mov [m+d],n", "mov t,n / mov [m+d],t", "a register t is dead"],
            Rule::Exchange => [
                "x / fxch / z",
                "fxch / z / fxch / x / fxch",
                "x and z are steps of two chains",
            ],
        };
        Known { before, after, needs }
    }
}
