//! Baselines of invented and of real measurements.

use super::*;
use crate::measure;
use std::fs;

fn saved(median: f64, uncertainty: f64) -> Saved {
    Saved {
        median,
        min: median - 0.1,
        deviation: uncertainty / 3.0,
        uncertainty,
        too_short: false,
        too_noisy: false,
        runs: 101,
        executions: 4096,
        processor: "one".to_owned(),
    }
}

fn compared(before: Saved, now: Saved) -> Comparison {
    Comparison {
        name: "sum".to_owned(),
        before,
        now,
    }
}

#[test]
fn deviations_decide_what_is_a_change() {
    let of = |before, now| compared(before, now).change();
    assert_eq!(of(saved(10.0, 0.25), saved(10.5, 0.25)), Change::None);
    assert_eq!(of(saved(10.0, 0.25), saved(10.75, 0.25)), Change::Slower);
    assert_eq!(of(saved(10.75, 0.25), saved(10.0, 0.25)), Change::Faster);
    let short = |median| Saved {
        too_short: true,
        ..saved(median, 0.25)
    };
    assert_eq!(of(short(0.1), short(0.9)), Change::TooShort);
    assert_eq!(of(short(0.1), saved(9.0, 0.25)), Change::Slower);
    let elsewhere = Saved {
        processor: "other".to_owned(),
        ..saved(10.0, 0.25)
    };
    assert_eq!(of(elsewhere, saved(10.0, 0.25)), Change::OtherProcessor);
}

#[test]
fn a_busy_machine_is_no_change_of_the_code() {
    // Half of the runs waited for another thread of the core, the fastest one did not.
    let busy = Saved {
        min: 9.95,
        ..saved(14.0, 0.25)
    };
    let outcomes = |one: &Saved, other: &Saved| {
        [(one, other), (other, one)].map(|(before, now)| compared(before.clone(), now.clone()).change())
    };
    assert_eq!(outcomes(&saved(10.0, 0.25), &busy), [Change::TooNoisy; 2]);
    // Code that takes twice as long is slower on that machine, too.
    assert_eq!(outcomes(&saved(6.0, 0.25), &busy), [Change::Slower, Change::Faster]);
    let noisy = Saved {
        too_noisy: true,
        ..saved(20.0, 0.25)
    };
    assert_eq!(outcomes(&saved(10.0, 0.25), &noisy), [Change::TooNoisy; 2]);
    assert_eq!(
        compared(saved(10.0, 0.25), busy).to_string(),
        "sum: too noisy to judge, measure on an idle machine: 14.00 core clocks (before: 10.00 core clocks; +40.0 %, \
         and 0.50 clocks are no change)"
    );
    let kept = |saved: &Saved| serde_json::to_string(saved).expect("is written");
    assert!(kept(&noisy).contains("\"too_noisy\":true") && !kept(&saved(1.0, 0.1)).contains("noisy"));
}

#[test]
fn a_comparison_says_both_figures_and_what_is_no_change() {
    let shown = |before, now| compared(before, now).to_string();
    assert_eq!(
        shown(saved(10.0, 0.25), saved(12.0, 0.25)),
        "sum: slower, 12.00 core clocks (before: 10.00 core clocks; +20.0 %, and 0.50 clocks are no change)"
    );
    let elsewhere = Saved {
        processor: "Pentium".to_owned(),
        ..saved(10.0, 0.25)
    };
    assert_eq!(
        shown(elsewhere, saved(9.0, 0.25)),
        "sum: 9.00 core clocks; not compared with 10.00 core clocks on another processor, Pentium"
    );
    let short = Saved {
        too_short: true,
        ..saved(0.0, 0.25)
    };
    assert_eq!(
        shown(saved(12.0, 0.25), short.clone()),
        "sum: faster, less than can be judged (before: 12.00 core clocks)"
    );
    assert_eq!(shown(short.clone(), short), "sum: too short to judge, before and now");
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions_and_a_link_stays_one() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().expect("a directory");
    let [file, link] = ["kept.json", "link.json"].map(|name| directory.path().join(name));
    Baseline::read(&file)
        .and_then(|baseline| baseline.write())
        .expect("is written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("are set");
    symlink("kept.json", &link).expect("a link");
    let mut baseline = Baseline::read(&link).expect("is read");
    let now = measure!(runs = 11, { std::hint::black_box(1u64).wrapping_mul(3) });
    baseline.set("product", &now).expect("numbers");
    baseline.write().expect("is written");
    let metadata = fs::symlink_metadata(&link).expect("a link");
    assert!(metadata.is_symlink());
    let mode = file.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(Baseline::read(&file).expect("is read").get("product").is_some());
}

#[test]
fn what_is_written_is_read_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("baseline.json");
    let mut baseline = Baseline::read(&path).expect("no file is an empty baseline");
    assert_eq!(baseline.iter().count(), 0);
    let mut sum = 1u64;
    let now = measure!(runs = 11, { sum = std::hint::black_box(sum).wrapping_mul(3) });
    baseline.set("product", &now).expect("numbers");
    baseline.write().expect("is written");
    let again = Baseline::read(&path).expect("is read");
    assert_eq!(again.get("product"), Some(&Saved::from(&now)));
    let change = again.compare("product", &now).map(|comparison| comparison.change());
    // Beside other work, the measurement may be too noisy.
    let same = [Change::None, Change::TooShort, Change::TooNoisy];
    assert!(change.is_some_and(|change| same.contains(&change)), "{change:?}");
    assert_eq!(again.compare("sum", &now), None);
    let others = fs::read_dir(directory.path()).expect("is listed").count();
    assert_eq!(others, 1, "nothing is left beside the file");
}

#[test]
fn what_is_no_baseline_is_named_and_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("baseline.json");
    for (text, expected) in [
        ("", "not a baseline: EOF"),
        (
            "{\"schema_version\": 1}",
            "not a baseline: missing field `measurements`",
        ),
        (
            "{\"schema_version\": 2, \"runs\": []}",
            "a baseline of version 2, and this reads version 1",
        ),
        ("[1,2", "not a baseline"),
    ] {
        fs::write(&path, text).expect("is written");
        let error = Baseline::read(&path).expect_err("no baseline").to_string();
        assert!(error.contains(expected) && error.contains("baseline.json"), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("is there"), text);
    }
    let nowhere = directory.path().join("none").join("baseline.json");
    let baseline = Baseline::read(&nowhere).expect("no file is an empty baseline");
    assert!(matches!(baseline.write(), Err(Error::File(path, _)) if path == nowhere));
}
