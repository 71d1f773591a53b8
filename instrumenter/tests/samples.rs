//! Files of samples: what is written is read back, by us and by others; what is damaged or hostile is refused.

#[path = "samples/specimen.rs"]
mod specimen;

use fastrand::Rng;
use instrumenter::command::samples::{read, write};
use runtime::samples::Recording;
use specimen::{LATER, recording, seed};
use std::path::PathBuf;
use tempfile::TempDir;

/// A recording in a file.
fn stored(recording: &Recording) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a directory");
    let path = folder.path().join("run.samples");
    write(recording, &path).expect("a file");
    (folder, path)
}

#[test]
fn a_recording_is_read_as_it_was_written() {
    let mut rng = Rng::with_seed(seed());
    for packets in [0, 1, 2, 500] {
        let mut given = recording(&mut rng, packets);
        if packets == 2 {
            given.truth = None;
            given.sampling.window = None;
        }
        let (_folder, path) = stored(&given);
        let read = read(&path).expect("a recording");
        assert_eq!(read, given);
        if packets == 500 {
            let later =
                |recording: &Recording| recording.samples.iter().filter_map(|one| one.images.get(LATER)).count();
            assert!(later(&read) > 0);
        }
    }
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    let given = recording(&mut Rng::with_seed(7), 200);
    let [first, second] = [stored(&given), stored(&given)].map(|(_folder, path)| std::fs::read(path).expect("a file"));
    assert!(first == second);
}
