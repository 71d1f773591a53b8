//! Programs with page tables of their own.

use super::{CODE, image, run_both_ways, twice};
use p5_chips::MODELS;
use p5_image::{Image, Segment};
use p5_meaning::memory::{Memory, Translation};
use p5_results::{Run, StopDetail, StopReason};
use p5_words::fault::{FaultCause, PageAccess};

const DIRECTORY: u32 = 0x1_0000;
const TABLE: u32 = 0x1_1000;

/// Tables that map the first 4 MiB to themselves, except page 20h, which maps to 21h, page 22h, which is missing, page
/// 23h, which is read-only, and page 24h, which maps to the code; then the same again as one large page.
fn tables() -> Vec<u8> {
    let mut words = vec![0u32; 2048];
    (words[0], words[1]) = (TABLE | 3, 0x83);
    for page in 0..1024u32 {
        words[1024 + page as usize] = match page {
            0x20 => 0x2_1003,
            0x22 => 0,
            0x23 => 0x2_3001,
            0x24 => CODE | 3,
            _ => page << 12 | 3,
        };
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn run(code: &[u8]) -> Run {
    let data = |address, bytes: Vec<u8>, zeroes| Segment {
        name: format!("at {address:X}h"),
        address,
        bytes,
        zeroes,
        writable: true,
    };
    let mut image: Image = image(code.to_vec(), CODE + code.len() as u32, Vec::new());
    image.segments.push(data(DIRECTORY, tables(), 0));
    image.segments.push(data(0x2_0000, Vec::new(), 0x5000));
    run_both_ways(&image, MODELS[0], &twice())
}

/// mov eax,10000h; mov cr3,eax; mov eax,cr4; or al,10h; mov cr4,eax
const BEGIN: [u8; 16] = [
    0xB8, 0, 0, 1, 0, 0x0F, 0x22, 0xD8, 0x0F, 0x20, 0xE0, 0x0C, 0x10, 0x0F, 0x22, 0xE0,
];

#[test]
fn tables_translate_and_are_marked() {
    let mut code = BEGIN.to_vec();
    code.extend([0xC7, 0x05, 0, 0, 2, 0, 0x11, 0x11, 0x11, 0x11]); // mov dword [20000h],11111111h
    for (register, address) in [
        (3u8, 0x2_1000u32),
        (1, 0x42_1000),
        (2, TABLE + 0x80),
        (6, DIRECTORY + 4),
    ] {
        code.extend([0x8B, register << 3 | 5]); // mov register,[address]
        code.extend(address.to_le_bytes());
    }
    let run = run(&code);
    assert_eq!(run.stop.reason, StopReason::End, "{:?}", run.stop);
    let [_, ecx, edx, ebx, _, _, esi, _] = run.registers[1];
    assert_eq!((ebx, ecx), (0x1111_1111, 0x1111_1111));
    assert_eq!((edx, esi), (0x2_1063, 0xA3), "accessed, and the small page dirty");
}

#[test]
fn what_the_tables_do_not_allow_faults() {
    let fault = |access: &[u8]| {
        let run = run(&[&BEGIN[..], access].concat());
        let Some(StopDetail::Fault { cause, address, .. }) = run.stop.detail else {
            panic!("{:?}", run.stop)
        };
        (run.stop.code, cause, address)
    };
    let page = |access, address| (Some(14), FaultCause::Page(access), Some(address));
    assert_eq!(fault(&[0xA1, 0, 0x20, 2, 0]), page(PageAccess::Read, 0x2_2000));
    assert_eq!(fault(&[0xA1, 0xFE, 0x1F, 2, 0]), page(PageAccess::Read, 0x2_2000));
    assert_eq!(
        fault(&[0xA3, 0, 0x30, 2, 0]),
        page(PageAccess::WriteToReadOnly, 0x2_3000)
    );
    assert_eq!(
        fault(&[0xB8, 0, 0x20, 2, 0, 0xFF, 0xE0]),
        page(PageAccess::Fetch, 0x2_2000)
    );
    assert_eq!(
        fault(&[0xA1, 0, 0, 0x80, 0]),
        page(PageAccess::Read, 0x80_0000),
        "no directory entry"
    );
    // or dword [23000h],1, which reads first
    assert_eq!(
        fault(&[0x83, 0x0D, 0, 0x30, 2, 0, 1]),
        page(PageAccess::WriteToReadOnly, 0x2_3000)
    );
}

#[test]
fn a_store_to_another_address_of_code_changes_it() {
    let mut code = BEGIN.to_vec();
    code.extend([0x31, 0xFF, 0xBD, 2, 0, 0, 0]); // xor edi,edi; mov ebp,2
    let again = code.len() as u32;
    code.extend([0x90, 0xC6, 0x05]); // again: nop; mov byte [again in page 24h],47h, which is inc edi
    code.extend((0x2_4000 + again).to_le_bytes());
    code.extend([0x47, 0x4D, 0x75, 0xF5]); // dec ebp; jnz again
    let run = run(&code);
    assert_eq!(run.stop.reason, StopReason::End, "{:?}", run.stop);
    assert_eq!(run.registers[1][7], 1);
}

#[test]
fn levels_and_write_protection_decide_what_a_page_allows() {
    let mut memory = Memory::new();
    memory.map(DIRECTORY, 0x2000, true).expect("maps");
    memory.map(0x2_0000, 0x5000, true).expect("maps");
    memory.load(DIRECTORY, &tables()).expect("mapped");
    // Page 21h and its directory entry are open to level 3.
    memory.write_u32(DIRECTORY, TABLE | 7).expect("mapped");
    memory.write_u32(TABLE + 0x84, 0x2_1007).expect("mapped");
    let mut allowed = |user, write_protect, address, write| {
        memory.set_translation(Some(Translation {
            directory: DIRECTORY,
            user,
            write_protect,
            large_pages: true,
        }));
        memory.fill(address, 4, write).map_err(|fault| fault.present)
    };
    assert_eq!(allowed(true, true, 0x2_1000, true), Ok(true));
    assert_eq!(allowed(true, true, 0x2_0000, false), Err(true));
    assert_eq!(allowed(true, true, 0x2_2000, false), Err(false));
    assert_eq!(allowed(false, true, 0x2_3000, true), Err(true));
    assert_eq!(allowed(false, false, 0x2_3000, true), Ok(true));
    assert_eq!(allowed(false, true, 0x2_3000, false), Ok(true));
    memory.set_translation(None);
    assert_eq!(memory.fill(0x2_3000, 4, true), Ok(false));
}
