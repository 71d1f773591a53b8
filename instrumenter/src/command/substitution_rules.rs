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
    /// LEA adds a register and a number to a register.
    AddRegister,
    /// A comparison of a register with 0 whose flags are known.
    Compared,
    /// TEST with a number.
    TestNumber,
    /// A copy of a register and an addition to the copy.
    CopyAndAdd,
    /// A product that an address can express.
    MultiplyByAddress,
    /// A product with a power of two.
    MultiplyByShift,
    /// A product that takes several additions and shifts.
    MultiplyBySteps,
    /// An extension of a byte or word with zeros.
    Extend,
    /// An extension of the low part of a register with zeros into the whole of it.
    ExtendOwn,
    /// The same where the upper part is 0 already.
    ExtendKnown,
    /// A shift and an addition.
    ShiftAndAdd,
    /// Two additions.
    AddedSums,
    /// A change of a register, and an access by it.
    InAddress,
    /// A copy of a register, and a use of the copy.
    UseOfCopy,
    /// An extension of EAX with its sign.
    Sign,
    /// A LOOP.
    Loop,
    /// A jump if ECX is 0.
    JumpOnZero,
    /// The entry of a procedure.
    Enter,
    /// The end of a procedure.
    Leave,
    /// A string instruction that is not repeated.
    String,
    /// A read-modify-write of memory.
    Modify,
    /// A read-modify-write that changes memory by one.
    StepMemory,
    /// An operation on a register with a memory operand.
    Load,
    /// A comparison of memory.
    Compare,
    /// An exchange of two registers.
    Swap,
    /// An exchange of a register with memory.
    SwapMemory,
    /// A push of a memory operand.
    Push,
    /// A store of a number with a displacement.
    StoreNumber,
    /// A store to a line that no cache has.
    ReadFirst,
    /// A step of a pointer after an access by it.
    StepFirst,
    /// A step of a pointer before an access by it.
    StepLast,
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
        Rule::AddRegister,
        Rule::Compared,
        Rule::TestNumber,
        Rule::CopyAndAdd,
        Rule::MultiplyByAddress,
        Rule::MultiplyByShift,
        Rule::MultiplyBySteps,
        Rule::Extend,
        Rule::ExtendOwn,
        Rule::ExtendKnown,
        Rule::ShiftAndAdd,
        Rule::AddedSums,
        Rule::InAddress,
        Rule::UseOfCopy,
        Rule::Sign,
        Rule::Loop,
        Rule::JumpOnZero,
        Rule::Enter,
        Rule::Leave,
        Rule::String,
        Rule::Modify,
        Rule::StepMemory,
        Rule::Load,
        Rule::Compare,
        Rule::Swap,
        Rule::SwapMemory,
        Rule::Push,
        Rule::StoreNumber,
        Rule::ReadFirst,
        Rule::StepFirst,
        Rule::StepLast,
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
            Rule::AddRegister => ["lea r,[r+s+n]", "add r,n / add r,s", "the flags are dead"],
            Rule::Compared => [
                "add r,s and the like / cmp r,0",
                "add r,s",
                "ZF and SF are already those of r; CF, OF and AF are dead or the same",
            ],
            Rule::TestNumber => ["test r,n", "and r,n", "r is dead"],
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
            Rule::MultiplyBySteps => [
                "imul r,s,n / mul s",
                "mov, lea, shl, add or sub",
                "the flags are dead, and for mul EDX; n or s is a number of few steps",
            ],
            Rule::Extend => [
                "movzx r,m",
                "xor r,r / mov p,m",
                "the flags are dead; p is the low byte or word of r",
            ],
            Rule::ExtendOwn => [
                "movzx r,p",
                "and r,255",
                "the flags are dead; 65535 if p is the low word of r",
            ],
            Rule::ExtendKnown => [
                "xor r,r / mov p,m / movzx r,p",
                "xor r,r / mov p,m",
                "the block sets r to a number below 256 or, of a word, 65536, and then only p and the like",
            ],
            Rule::ShiftAndAdd => [
                "shl r,n / add r,s",
                "lea r,[s+r*m]",
                "the flags are dead; m is 2, 4 or 8; for add s,r also r",
            ],
            Rule::AddedSums => [
                "add r,s / add r,n",
                "lea r,[r+s+n]",
                "the flags are dead; also shl, sub and the like",
            ],
            Rule::InAddress => [
                "shl r,n / mov s,[r] and the like",
                "mov s,[r*m]",
                "r and the flags are dead; also for add, sub and lea before any access",
            ],
            Rule::UseOfCopy => [
                "mov r,s / add t,r and the like",
                "mov r,s / add t,s",
                "s is still the same; without the mov if r is dead",
            ],
            Rule::Sign => ["cdq", "mov edx,eax / sar edx,31", "the flags are dead"],
            Rule::JumpOnZero => ["jecxz label", "test ecx,ecx / jz label", "the flags are dead"],
            Rule::Enter => ["enter n,0", "push ebp / mov ebp,esp / sub esp,n", "the flags are dead"],
            Rule::Leave => ["leave", "mov esp,ebp / pop ebp", "the code is 32-bit"],
            Rule::String => [
                "lodsb, stosb and the like",
                "mov or cmp / inc, add or lea",
                "no instruction sets DF; for movs a register is dead",
            ],
            Rule::Loop => ["loop label", "dec ecx / jnz label", "the flags but CF are dead"],
            Rule::Modify => [
                "add [m],s and the like",
                "mov t,[m] / add t,s / mov [m],t",
                "a register t is dead",
            ],
            Rule::StepMemory => [
                "inc [m] and the like",
                "mov t,[m] / inc t / mov [m],t",
                "a register t is dead",
            ],
            Rule::Load => ["add r,[m] and the like", "mov t,[m] / add r,t", "a register t is dead"],
            Rule::Compare => ["cmp [m],s / test [m],s", "mov t,[m] / cmp t,s", "a register t is dead"],
            Rule::Swap => ["xchg r,s", "mov t,r / mov r,s / mov s,t", "a register t is dead"],
            Rule::SwapMemory => [
                "xchg r,[m]",
                "mov t,[m] / mov [m],r / mov r,t",
                "a register t is dead; without the bus lock, so that no other processor may use [m]",
            ],
            Rule::Push => ["push [m]", "mov t,[m] / push t", "a register t is dead"],
            Rule::StoreNumber => ["mov [m+d],n", "mov t,n / mov [m+d],t", "a register t is dead"],
            Rule::ReadFirst => [
                "mov [m],s and the like",
                "mov t,[m] / mov [m],s",
                "a register t is dead, or, with cmp [m],s, the flags; also fst; where stores wait for write buffers",
            ],
            Rule::StepFirst => [
                "mov [r],s and the like / add r,n",
                "add r,n / mov [r-n],s",
                "also inc, dec and sub; what is between them does not use r",
            ],
            Rule::StepLast => [
                "add r,n / mov [r-n],s and the like",
                "mov [r],s / add r,n",
                "also inc, dec and sub; what is between them does not use r",
            ],
            Rule::Exchange => [
                "x / fxch / z",
                "fxch / z / fxch / x / fxch",
                "x and z are steps of two chains",
            ],
        };
        Known { before, after, needs }
    }
}
