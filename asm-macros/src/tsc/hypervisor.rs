//! Hypervisors by the signature that they leave in CPUID.40000000h.

use core::fmt;

/// The known signatures, without the zeros at their end, and the names of their hypervisors.
#[rustfmt::skip] // One row per signature, columns aligned.
const KNOWN: &[(&[u8], &str)] = &[
    (b"ACRNACRNACRN", "ACRN"),
    (b"HAXMHAXMHAXM", "HAXM"),
    (b"Jailhouse",    "Jailhouse"),
    (b"KVMKVMKVM",    "KVM"),
    (b"Linux KVM Hv", "KVM"),
    (b"Microsoft Hv", "Hyper-V"),
    (b"___ NVMM ___", "NVMM"),
    (b"OpenBSDVMM58", "OpenBSD vmm"),
    (b" lrpepyh  vr", "Parallels"),
    (b"TCGTCGTCGTCG", "QEMU TCG"),
    (b"VBoxVBoxVBox", "VirtualBox"),
    (b"VMwareVMware", "VMware"),
    (b"XenVMMXenVMM", "Xen"),
    (b"bhyve bhyve ", "bhyve"),
];

/// A hypervisor, displayed by its name or, if it is unknown, by its signature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hypervisor(pub(super) [u8; 12]);

impl Hypervisor {
    /// The signature: the twelve bytes of CPUID.40000000h without the zeros at their end.
    pub fn signature(&self) -> &[u8] {
        let end = self.0.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        &self.0[..end]
    }

    /// The name, such as `KVM`; `None` if the signature is unknown.
    pub fn name(&self) -> Option<&'static str> {
        let signature = self.signature();
        KNOWN
            .iter()
            .find(|(known, _)| *known == signature)
            .map(|&(_, name)| name)
    }
}

impl fmt::Display for Hypervisor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => out.write_str(name),
            None => write!(out, "{}", self.signature().escape_ascii()),
        }
    }
}

impl fmt::Debug for Hypervisor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Hypervisor({self})")
    }
}
