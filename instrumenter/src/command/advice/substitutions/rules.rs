//! The rules of substitution in words, which `advise --help` shows.

/// A rule: what it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// A register is cleared.
    Clear,
    /// A register is compared with 0.
    Test,
    /// A register is shifted by one.
    Double,
    /// A register is stepped by one.
    Step,
    /// A register is complemented.
    Complement,
    /// LEA adds a number to a register.
    AddNumber,
    /// A register is copied and added to.
    CopyAndAdd,
    /// A product that an address can be.
    MultiplyByAddress,
    /// A product by a power of two.
    MultiplyByShift,
    /// A byte or a word is extended with zeros.
    Extend,
    /// LOOP.
    Loop,
    /// Memory is modified.
    Modify,
    /// Memory is stepped by one.
    StepMemory,
    /// Memory is pushed.
    Push,
    /// A number is stored with a displacement.
    StoreNumber,
    /// Two chains of floating-point operations.
    Exchange,
}

/// A rule in words.
pub(crate) struct Known {
    /// What stands there.
    pub(crate) before: &'static str,
    /// What replaces it.
    pub(crate) after: &'static str,
    /// On which condition.
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

    /// The rule in words.
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
