//! The rules that a page refers to, each with a description, which the script also shows beside the text it explains.

use super::{said, title};
use crate::explain::{self, Kind, Topic};
use maud::{Markup, html};
use p5_chips::{self as model, MODELS, Model};
use p5_results::{Cause, Refusal, Run};
use std::collections::BTreeSet;

/// A rule with an effect on clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    Cause(Cause),
    Refusal(Refusal),
}

/// Every rule of the run's chip, and for each whether the page refers to it.
pub(super) struct Rules {
    topics: Vec<Topic>,
    used: BTreeSet<Rule>,
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Rule::Cause(cause) => cause.name(),
            Rule::Refusal(refusal) => refusal.name(),
        }
    }

    fn kind(self) -> Kind {
        match self {
            Rule::Cause(_) => Kind::Cause,
            Rule::Refusal(_) => Kind::Refusal,
        }
    }

    fn id(self) -> String {
        let name = self.name().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        match self {
            Rule::Cause(_) => format!("cause-{name}"),
            Rule::Refusal(_) => format!("pair-{name}"),
        }
    }
}

/// The chip of a run, with the run's assumptions.
pub(super) fn chip(run: &Run) -> Option<&'static Model> {
    let chip = MODELS.iter().find(|chip| chip.name == run.cpu)?;
    let assumed = run.assumed.iter();
    let assumed: Vec<_> = assumed
        .filter_map(|(name, value)| model::choice(&format!("{name}={value}")).ok())
        .collect();
    Some(chip.assuming(&assumed))
}

impl Rules {
    pub(super) fn of(run: &Run) -> Rules {
        Rules {
            topics: chip(run).map(explain::topics).unwrap_or_default(),
            used: BTreeSet::new(),
        }
    }

    /// Links `words` to the rules that explain them.
    pub(super) fn link(&mut self, words: &str, rules: &[Rule]) -> Markup {
        let Some(first) = rules.first() else {
            return html! { (words) };
        };
        self.used.extend(rules);
        let ids: Vec<String> = rules.iter().map(|rule| rule.id()).collect();
        html! {
            a .why href={ "#" (first.id()) } data-rules=(ids.join(" ")) { (words) }
        }
    }

    pub(super) fn section(&self) -> Markup {
        let found = |rule: &Rule| {
            let mut topics = self.topics.iter();
            topics.find(|topic| topic.kind == rule.kind() && topic.name == rule.name())
        };
        html! {
            (title("rules", "Rules that decided"))
            p .lead { "Every cause and refusal on this page, who says so, and what is left out of it." }
            div .rules {
                @for rule in &self.used {
                    article .rule id=(rule.id()) tabindex="-1" {
                        h3 { (rule.name()) " " span .kind { (rule.kind().words()) } }
                        @if let Some(topic) = found(rule) {
                            p { (said(&topic.rule)) }
                            p .source { b { "Source" } " " (topic.source) }
                            @if !topic.not_modelled.is_empty() {
                                p .source { b { "Not modelled" } " " (said(&topic.not_modelled)) }
                            }
                        }
                    }
                }
            }
            @if self.used.is_empty() {
                p { "Nothing was executed." }
            }
        }
    }
}
