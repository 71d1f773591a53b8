//! Audited runs: the clocks by cause of every pass of every region.

use super::regions::Audit;
use super::{Machine, Options, Progress};
use p5_chips::Model;
use p5_image::Image;
use p5_results::{AuditedPass, Run};

/// An audited run.
#[derive(Clone, Debug)]
pub struct Audited {
    /// The run with the results of [`simulate`](super::simulate).
    pub run: Run,
    /// The passes of each region, in the order of [`Run::regions`]: the first [`AUDITED`](p5_results::AUDITED) of each
    /// run and its last one. If those of all runs exceed the region's share of
    /// [`AUDITED_IN_ALL`](p5_results::AUDITED_IN_ALL), the first ones and the last one are here.
    pub passes: Vec<Vec<AuditedPass>>,
    /// The number of passes of each region that the end macro did not finish, in this list or not.
    pub unfinished: Vec<u64>,
}

/// Runs `image` as [`simulate`](super::simulate) does, one group of instructions at a time. If it is `plain`, its
/// measuring macros expand to nothing, and a jump to the first instruction of a region enters it.
pub fn audit(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    plain: bool,
    progress: &mut dyn FnMut(Progress),
) -> Audited {
    let mut machine = Machine::new(model, image, options.clone());
    machine.regions.audit = Some(Box::new(Audit::new(image.regions.len(), plain)));
    machine.pipeline.audit();
    machine.run_all(progress);
    let (passes, unfinished) = match machine.regions.audit.take() {
        Some(audit) => (audit.results, audit.unfinished),
        None => (Vec::new(), Vec::new()),
    };
    Audited {
        run: machine.into_run(program),
        passes,
        unfinished,
    }
}
