//! A process with RDTSC disabled (CR4.TSD, through `prctl`): a read faults at the instruction, and detection returns
//! the reason instead. Each case runs in a child process, which runs this test program again.

use asm_macros::tsc;
use asm_macros::tsc::Tsc;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

/// The variable that names the case for the child.
const CASE: &str = "DISABLED_COUNTER_CASE";

/// Runs this program's test `name` again as a child, with the counter disabled.
fn child(name: &str) -> Output {
    let program = std::env::current_exe().expect("this program");
    Command::new(program)
        .args(["--exact", &format!("disabled::{name}"), "--nocapture"])
        .env(CASE, "1")
        .output()
        .expect("a child")
}

/// Disables RDTSC in a child; returns whether this process is one.
fn disabled() -> bool {
    if std::env::var_os(CASE).is_none() {
        return false;
    }
    // SAFETY: changes how this process may use one instruction.
    let done = unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV) };
    assert_eq!(done, 0, "the kernel cannot disable RDTSC");
    true
}

/// Names the faulting instruction, then lets the fault kill the process.
extern "C" fn tell(signal: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes the interrupted context to an SA_SIGINFO handler; its RIP points at the faulting
    // instruction, which is mapped code. `write` and `signal` may be called in a handler.
    unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let rip = std::ptr::with_exposed_provenance::<u8>(registers[libc::REG_RIP as usize] as usize);
        let text: &[u8] = match (*rip, *rip.add(1)) {
            (0x0F, 0x31) => b"died at RDTSC\n",
            (0x0F, 0x01) => b"died at RDTSCP\n",
            _ => b"died elsewhere\n",
        };
        libc::write(1, text.as_ptr().cast(), text.len());
        libc::signal(signal, libc::SIG_DFL);
    }
}

fn tell_of_faults() {
    // SAFETY: all zeroes is a value of this C structure, and `tell` has the signature SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = tell as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut()), 0);
    }
}

#[test]
fn a_read_dies_at_the_instruction() {
    if disabled() {
        tell_of_faults();
        println!("{}", tsc!(lfence, {}).ticks());
        return;
    }
    let output = child("a_read_dies_at_the_instruction");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{said}");
    assert!(said.ends_with("died at RDTSC\n"), "{said}");
}

#[test]
fn rdtscp_dies_as_well() {
    if disabled() {
        tell_of_faults();
        println!("{}", tsc!(rdtscp, {}).ticks());
        return;
    }
    if Tsc::detect().is_ok_and(|tsc| !tsc.features.rdtscp) {
        eprintln!("skipped: no RDTSCP");
        return;
    }
    let output = child("rdtscp_dies_as_well");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{said}");
    assert!(said.ends_with("died at RDTSCP\n"), "{said}");
}

#[test]
fn detection_says_why_and_goes_on() {
    if disabled() {
        println!("{}", Tsc::detect().expect_err("a disabled counter"));
        return;
    }
    let output = child("detection_says_why_and_goes_on");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("unavailable: RDTSC is disabled for this process (CR4.TSD"),
        "{said}"
    );
    assert!(Tsc::detect().is_ok(), "only the child has it disabled");
}
