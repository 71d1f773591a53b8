//! The options of add-ons for monitoring.

use super::MACHINE;
use clap::Args;
use p5_assembler::spelling::nearest;
use runtime::image::{Image, SymbolKind};
use runtime::machine;
use runtime::model::{self, CoreRatio, Model, Monitor};
use runtime::report;

/// What a chip is given in addition.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MonitorArguments {
    /// Give the chip counters and registers of later ones, at no clock: `perfmon` (architectural performance
    /// monitoring), `ibs` (AMD's sampling of fetches and ops), `rdtscp`; or another bus master: `snooper` (a device) or
    /// `dual` (a second processor), with settings as in `snooper=500:100@table`; separated by commas
    #[arg(help_heading = MACHINE, long, value_name = "NAME", value_delimiter = ',', value_parser = named)]
    pub(crate) monitor: Vec<&'static Monitor>,
    /// Also execute instructions of later processors, which compilers and C libraries put into programs, with assumed
    /// clocks: `cmov` (CMOVcc, FCMOVcc, FCOMI), `endbr` (ENDBR32, RDSSPD and long NOPs, as a NOP); separated by commas
    #[arg(help_heading = MACHINE, long, env = "P5INST_ALSO", hide_env_values = true)]
    #[arg(value_name = "NAME", value_delimiter = ',', value_parser = later)]
    also: Vec<Later>,
    /// Clocks of the core per reference clock; the time stamp counter counts the latter (needs `--monitor`)
    #[arg(help_heading = MACHINE, long, value_name = "CORE/REFERENCE", default_value = "1/1", requires = "monitor", value_parser = CoreRatio::parse)]
    pub(crate) core_ratio: CoreRatio,
}

impl MonitorArguments {
    /// The monitors, and the instructions of later processors.
    pub(crate) fn all(&self) -> Vec<&'static Monitor> {
        self.monitor.iter().copied().chain(self.also()).collect()
    }

    /// The instructions of later processors.
    pub(crate) fn also(&self) -> impl Iterator<Item = &'static Monitor> {
        self.also.iter().filter_map(|later| later.0)
    }

    /// `model` with the monitors.
    ///
    /// # Errors
    /// Why it cannot have them.
    pub(crate) fn attached(&self, model: &'static Model) -> Result<&'static Model, String> {
        model.with_monitors(&self.all()).map_err(report::no_monitor)
    }

    /// Makes sure that the program of `image`, which is to run on `model`, has the place of another bus master.
    ///
    /// # Errors
    /// Why it does not.
    pub(crate) fn placed(&self, model: &'static Model, image: &Image) -> Result<(), String> {
        let Some(misplaced) = machine::misplaced(self.attached(model)?, image) else {
            return Ok(());
        };
        let symbols = image.symbols.iter();
        let addresses = symbols.filter(|symbol| symbol.kind != SymbolKind::Constant);
        let near = nearest(misplaced.name, addresses.map(|symbol| &*symbol.name));
        Err(report::misplaced(&misplaced, near))
    }
}

/// Instructions of later processors; none for the empty value of an environment variable, which is as if it were unset.
#[derive(Clone, Copy, Debug)]
struct Later(Option<&'static Monitor>);

fn later(text: &str) -> Result<Later, String> {
    if text.is_empty() {
        return Ok(Later(None));
    }
    model::later(text).map(Some).map(Later).map_err(report::no_monitor)
}

fn named(text: &str) -> Result<&'static Monitor, String> {
    model::monitor(text).map_err(report::no_monitor)
}
