//! The system call filter of the child: it allows exit and the return from a signal; all other calls go to the handler.
//!
//! The filter is written by hand rather than with a library: one made by `seccompiler` has a single architecture and
//! kills the process at a call of another, but `int 80h` must reach the handler, which serves it.

use std::mem::offset_of;

/// The architecture word of 64-bit calls: AUDIT_ARCH_X86_64.
const ARCHITECTURE_64: u32 = 0xC000_003E;
/// The architecture word of `int 80h` and the other 32-bit system calls: AUDIT_ARCH_I386.
pub(super) const ARCHITECTURE_32: u32 = 0x4000_0003;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const fn step(code: u16, value: u32, if_true: u8, if_false: u8) -> libc::sock_filter {
    libc::sock_filter {
        code,
        jt: if_true,
        jf: if_false,
        k: value,
    }
}

/// The program of the filter. A jump is given as the number of instructions to skip.
static PROGRAM: [libc::sock_filter; 7] = [
    step(LOAD, offset_of!(libc::seccomp_data, arch) as u32, 0, 0),
    step(IF_EQUAL, ARCHITECTURE_64, 0, 3),
    step(LOAD, offset_of!(libc::seccomp_data, nr) as u32, 0, 0),
    step(IF_EQUAL, libc::SYS_exit_group as u32, 2, 0),
    step(IF_EQUAL, libc::SYS_rt_sigreturn as u32, 1, 0),
    step(RETURN, libc::SECCOMP_RET_TRAP, 0, 0),
    step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0),
];

/// Installs the filter in this process permanently; returns whether the kernel did so.
pub(super) fn install() -> bool {
    let program = libc::sock_fprog {
        len: PROGRAM.len() as u16,
        filter: PROGRAM.as_ptr().cast_mut(),
    };
    // The kernel's speculation mitigations would slow down stores and branches of the measured code. Without them, that
    // code could read only its own process, which holds no data of others.
    let flags = libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // SAFETY: the calls only read their arguments, and `program` outlives them.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const program,
            ) == 0
    }
}
