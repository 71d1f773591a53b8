//! Native runs: the same images in the host's compatibility segment and in the simulated machine, their measurements,
//! and all attacks of a hostile program on the process that runs it. The images are made from bytes, without an
//! assembler.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod attended;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod hostile;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod images;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod isolation;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod meaning;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod timing;

/// The processes that run the images are this test program as well.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the functions listed in this section are called before `main`, and this one needs nothing of it.
#[unsafe(link_section = ".init_array")]
static CHILD: extern "C" fn() = child;
#[cfg(target_os = "linux")]
extern "C" fn child() {
    runtime::native::child_entry();
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[test]
fn a_host_that_cannot_run_natively_says_so() {
    let why = runtime::native::run(&Default::default(), &Default::default()).expect_err("it cannot");
    assert_eq!(why, runtime::native::Error::OtherHost);
    eprintln!("SKIPPED: native runs need an x86-64 Linux host");
}
