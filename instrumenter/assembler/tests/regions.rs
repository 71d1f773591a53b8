//! Regions: measuring macros of the user, and those of a library with calibration.

use super::{bytes, complaints, image, symbol};
use p5_image::RegionKind;

#[test]
fn the_users_own_macros_make_regions() {
    let text = "StartTSC MACRO\npushad\npopad\nENDM\nEndTSC MACRO\nmov _TSC,eax\nENDM\ns equ StartTSC\ne equ EndTSC\n\
                nop\ns\ninc eax\ns\ndec eax\ne\ne\nStartProfile macro a,b\nStartTSC\nendm\nEndProfile macro\nEndTSC\nendm\n\
                StartProfile 16h , 17h\nEndProfile\n_TSC dd 0\n_prof0 dd 0\n_prof1 dd 0\n";
    let image = image(text);
    let seen: Vec<_> = image
        .regions
        .iter()
        .map(|region| {
            (
                region.name.as_str(),
                region.first - 0x40_1000,
                region.after - 0x40_1000,
                region.done - 0x40_1000,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [("line 11", 3, 12, 17), ("line 13", 6, 7, 12), ("line 23", 19, 19, 24)]
    );
    assert_eq!(image.regions[2].kind, RegionKind::Profile);
    assert_eq!(image.regions[2].events, Some([0x16, 0x17]));
    assert_eq!(image.regions[2].measured, [0x40_2004, 0x40_2008]);
    assert_eq!((image.regions[1].start_line, image.regions[1].end_line), (13, 15));
}

#[test]
fn the_library_comes_in_when_it_is_named() {
    let text = "mov ecx,3\nl: s \"outer\"\nnop\nStartTSC\nEndTSC\ne\ndec ecx\njnz l\nv dd 1\n";
    let image = image(text);
    let names: Vec<_> = image.segments.iter().map(|segment| segment.name.as_str()).collect();
    assert_eq!(names, ["_TEXT", "P5_CALIBRATION", "P5_DATA", "_DATA"]);
    let calibration = &image.segments[1];
    assert_eq!(image.entry, calibration.address, "the calibration runs first");
    let after = (calibration.address + 5..).zip(calibration.bytes.windows(5));
    let leads = |(after, bytes): (u32, &[u8])| {
        bytes[0] == 0xE9 && after.wrapping_add(u32::from_le_bytes(bytes[1..].try_into().unwrap())) == 0x40_1000
    };
    assert_eq!(
        after.filter(|&one| leads(one)).count(),
        1,
        "and continues with the program"
    );
    let [outer, inner] = &image.regions[..] else {
        panic!("{:#?}", image.regions);
    };
    assert_eq!(outer.name, "outer");
    let slot = |name: &str| symbol(&image, name).value;
    assert_eq!((outer.measured[0], inner.measured[0]), (slot("_TSC_1"), slot("_TSC_2")));
    assert!(symbol(&image, "_TSC_1").library && !symbol(&image, "v").library);
    assert_eq!(
        image.end,
        Some(image.segments[0].address + image.segments[0].bytes.len() as u32)
    );
}

#[test]
fn the_users_definitions_win_over_the_librarys() {
    let image = image("EndTSC macro\nmov _TSC,ecx\nendm\nmov eax,COUNT_CYCLES\nStartTSC\nEndTSC\n_TSC dd 9\n");
    assert!(!symbol(&image, "_TSC").library);
    let data = image.segments.iter().find(|segment| segment.name == "_DATA").unwrap();
    assert_eq!(symbol(&image, "_TSC").value, data.address);
    assert!(
        bytes(&image, "_TEXT").contains("890d"),
        "the user's own EndTSC was expanded"
    );
}

#[test]
fn a_file_without_its_names_does_not_get_the_library() {
    let image = image("s: dec ecx\njnz s\ne dd 1\n");
    assert_eq!(image.files.len(), 1);
    assert_eq!(image.entry, 0x40_1000);
}

#[test]
fn unpaired_measuring_macros_are_warned_of() {
    let own = "StartTSC MACRO\nENDM\nEndTSC MACRO\nENDM\n";
    assert_eq!(
        complaints(&format!("{own}nop\nStartTSC\n")),
        ["6: no matching `EndTSC` for this `StartTSC`"]
    );
    assert_eq!(
        complaints(&format!("{own}nop\nEndTSC\n")),
        ["6: no matching `StartTSC` for this `EndTSC`"]
    );
}
