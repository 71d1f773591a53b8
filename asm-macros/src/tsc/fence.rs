//! Fences, which order a read of the time stamp counter with the code around it.
//!
//! RDTSC is not ordered: the processor may read the counter while earlier instructions are still executing, and may
//! start later instructions before it. A fence makes instructions wait.

use core::fmt;

/// The instruction that orders a read of the time stamp counter with the code around it. The macros take the name of a
/// fence in lower case; without a name they use [`Fence::here`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Fence {
    /// `lfence`: LFENCE before RDTSC, and after the first of a pair.
    ///
    /// No instruction after LFENCE starts before all earlier ones have completed. The first RDTSC therefore reads the
    /// counter when everything before the region has completed, and the region does not start before that; the second
    /// RDTSC waits for the whole region. Stores may still be on their way to the cache. Intel defines LFENCE in this
    /// way; AMD processors behave so if the kernel enables it (all current kernels do) or CPUID.80000021h:EAX bit 2 is
    /// set. LFENCE affects no cache, no predictor and no register.
    Lfence = 1,
    /// `rdtscp`: RDTSCP, followed by LFENCE in the first of a pair.
    ///
    /// RDTSCP waits until all earlier instructions have executed, but later ones may start before it reads the counter,
    /// so an LFENCE holds the region back. Together with the counter it reads IA32_TSC_AUX, in which the kernel stores
    /// the processor number: a measurement that starts on one processor and ends on another is flagged. It faults on a
    /// processor without RDTSCP ([`super::Features::rdtscp`]).
    Rdtscp = 2,
    /// `cpuid`: CPUID before RDTSC, and after the first of a pair.
    ///
    /// CPUID serialises: all earlier instructions and their stores complete before any later instruction is fetched. It
    /// is the oldest fence and the only one on processors without LFENCE. Its duration varies, and under a hypervisor
    /// each CPUID exits the virtual machine, which takes about a thousand ticks and disturbs the caches: prefer another
    /// fence there.
    Cpuid = 3,
    /// `none`: RDTSC alone.
    ///
    /// Nothing is ordered: work from before the pair may be included, and work of the region missed. It is the
    /// cheapest, and right for long regions in which a few hundred clocks do not matter.
    None = 4,
}

impl Fence {
    /// Every fence, in the order of the numbers.
    pub const ALL: [Fence; 4] = [Fence::Lfence, Fence::Rdtscp, Fence::Cpuid, Fence::None];

    /// The name that the macros take, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Fence::Lfence => "lfence",
            Fence::Rdtscp => "rdtscp",
            Fence::Cpuid => "cpuid",
            Fence::None => "none",
        }
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Stamp {
    /// The 64 bits of the counter.
    pub ticks: u64,
    /// IA32_TSC_AUX with [`Fence::Rdtscp`], 0 with the others.
    pub aux: u32,
}

/// An asm block that leaves the counter in EDX:EAX. Without `nomem` it is also a compiler fence for memory accesses.
macro_rules! read {
    ($($line:literal),+ ; $($operand:tt)*) => {{
        let (low, high): (u32, u32);
        // SAFETY: the instructions read counters and fence; all registers they change are declared.
        unsafe { core::arch::asm!($($line),+, out("eax") low, out("edx") high, $($operand)* options(nostack, preserves_flags)) };
        u64::from(high) << 32 | u64::from(low)
    }};
}

#[inline(always)]
fn unlabelled(ticks: u64) -> Stamp {
    Stamp { ticks, aux: 0 }
}

/// The first read of a pair: everything before it has completed, and nothing after it has started.
#[inline(always)]
pub(crate) fn first(fence: Fence) -> Stamp {
    match fence {
        Fence::Lfence => unlabelled(read!("lfence", "rdtsc", "lfence";)),
        Fence::Rdtscp => {
            let aux: u32;
            let ticks = read!("rdtscp", "lfence"; out("ecx") aux,);
            Stamp { ticks, aux }
        }
        // EBX is reserved by the compiler, and the second CPUID would overwrite the counter. Both are saved in named
        // registers, because the compiler might otherwise choose RBX, which CPUID overwrites.
        Fence::Cpuid => unlabelled(read!(
            "mov r8, rbx", "mov eax, 0", "cpuid", "rdtsc", "mov r9d, eax", "mov r10d, edx", "mov eax, 0", "cpuid",
            "mov eax, r9d", "mov edx, r10d", "mov rbx, r8";
            out("r8") _, out("r9") _, out("r10") _, out("ecx") _,
        )),
        Fence::None => unlabelled(read!("rdtsc";)),
    }
}

/// The second read of a pair: the whole region has completed.
#[inline(always)]
pub(crate) fn second(fence: Fence) -> Stamp {
    match fence {
        Fence::Lfence => unlabelled(read!("lfence", "rdtsc";)),
        Fence::Rdtscp => {
            let aux: u32;
            let ticks = read!("rdtscp"; out("ecx") aux,);
            Stamp { ticks, aux }
        }
        Fence::Cpuid => unlabelled(read!(
            "mov r8, rbx", "mov eax, 0", "cpuid", "rdtsc", "mov rbx, r8";
            out("r8") _, out("ecx") _,
        )),
        Fence::None => unlabelled(read!("rdtsc";)),
    }
}

/// [`first`] for the choice of [`Fence::here`], which is known only at run time: at most two comparisons, and no jump
/// table, whose target the processor would have to predict.
#[inline(always)]
pub(crate) fn first_here(fence: Fence) -> Stamp {
    match fence {
        Fence::Rdtscp => first(Fence::Rdtscp),
        Fence::Lfence => first(Fence::Lfence),
        _ => first(Fence::Cpuid),
    }
}

/// [`second`] for the choice of [`Fence::here`].
#[inline(always)]
pub(crate) fn second_here(fence: Fence) -> Stamp {
    match fence {
        Fence::Rdtscp => second(Fence::Rdtscp),
        Fence::Lfence => second(Fence::Lfence),
        _ => second(Fence::Cpuid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_macros() {
        assert_eq!(Fence::ALL.map(Fence::name), ["lfence", "rdtscp", "cpuid", "none"]);
    }
}
