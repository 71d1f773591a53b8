//! A library of OMF modules: the objects, and a dictionary of their public names.

use super::{Module, Place, Problem, omf};

/// The size of a page of a library, at which modules begin.
const PAGE: usize = 16;
/// The size of a block of its dictionary.
const BLOCK: usize = 512;
/// The number of chains in a block.
const BUCKETS: usize = 37;

/// The bytes of a library of modules.
pub fn write(modules: &[Module]) -> Result<Vec<u8>, Problem> {
    let mut file = vec![0; PAGE];
    let mut names: Vec<(String, u16)> = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        let Ok(page) = u16::try_from(file.len() / PAGE) else {
            let message = "a library in this format has at most 1 MiB".to_owned();
            return Err(Problem::new(message, "make two of it"));
        };
        let elsewhere = |place: Place| matches!(place, Place::Elsewhere | Place::Common(_));
        for symbol in module.symbols.iter().filter(|symbol| !elsewhere(symbol.place)) {
            if names.iter().any(|(name, _)| *name == symbol.name) {
                let message = format!("`{}` is public in another module of the library, too", symbol.name);
                let help = "rename one of them, or make one of them private to its module";
                return Err(Problem::new(message, help).at(number, symbol.span));
            }
            names.push((symbol.name.clone(), page));
        }
        file.extend(omf::write(module)?);
        file.resize(file.len().next_multiple_of(PAGE), 0);
    }
    let fill = BLOCK - (file.len() + 3) % BLOCK;
    file.push(0xF1);
    file.extend_from_slice(&(fill as u16).to_le_bytes());
    file.resize(file.len() + fill, 0);
    let start = file.len() as u32;
    let dictionary = dictionary(&names);
    let blocks = dictionary.len() / BLOCK;
    file.extend(dictionary);
    let mut head = vec![0xF0];
    head.extend_from_slice(&(PAGE as u16 - 3).to_le_bytes());
    head.extend_from_slice(&start.to_le_bytes());
    head.extend_from_slice(&(blocks as u16).to_le_bytes());
    // Names differ by case.
    head.push(1);
    file[..head.len()].copy_from_slice(&head);
    Ok(file)
}

/// The dictionary, with as many blocks, a prime number, as the names need.
fn dictionary(names: &[(String, u16)]) -> Vec<u8> {
    let is_prime = |number: usize| {
        (2..number)
            .take_while(|one| one * one <= number)
            .all(|one| !number.is_multiple_of(one))
    };
    let mut blocks = 1;
    loop {
        if blocks == 1 || is_prime(blocks) {
            let mut all = vec![0u8; blocks * BLOCK];
            for block in all.chunks_mut(BLOCK) {
                // Where the next name goes, in words.
                block[BUCKETS] = (BUCKETS as u8).div_ceil(2);
            }
            if names.iter().all(|(name, page)| enter(&mut all, blocks, name, *page)) {
                return all;
            }
        }
        blocks += 1;
    }
}

/// Enters a name; `false` if it does not fit.
fn enter(all: &mut [u8], blocks: usize, name: &str, page: u16) -> bool {
    let name = &name.as_bytes()[..name.len().min(255)];
    let (mut block, block_step, mut bucket, bucket_step) = hash(name, blocks);
    for _ in 0..blocks {
        let here = &mut all[block * BLOCK..(block + 1) * BLOCK];
        let free = usize::from(here[BUCKETS]) * 2;
        let size = (name.len() + 3).next_multiple_of(2);
        let fits = here[BUCKETS] != 0xFF && free + size <= BLOCK;
        for _ in 0..BUCKETS {
            if here[bucket] == 0 {
                if !fits {
                    break;
                }
                here[bucket] = (free / 2) as u8;
                here[free] = name.len() as u8;
                here[free + 1..free + 1 + name.len()].copy_from_slice(name);
                here[free + 1 + name.len()..free + 3 + name.len()].copy_from_slice(&page.to_le_bytes());
                let next = (free + size) / 2;
                here[BUCKETS] = if next >= BLOCK / 2 { 0xFF } else { next as u8 };
                return true;
            }
            bucket = (bucket + bucket_step) % BUCKETS;
        }
        // A reader stops in a block that has room.
        here[BUCKETS] = 0xFF;
        block = (block + block_step) % blocks;
    }
    false
}

/// The block and bucket in which a name is looked for first, and the steps from there: block, step, bucket, step.
fn hash(name: &[u8], blocks: usize) -> (usize, usize, usize, usize) {
    let fold = |byte: u8| u16::from(byte | 0x20);
    let length = name.len() as u8;
    // Forwards with the length, which stands before the name, and without the last character.
    let forwards = std::iter::once(length).chain(name.iter().copied()).take(name.len());
    let (block, bucket_step) = forwards.fold((0u16, 0u16), |(block, step), byte| {
        (block.rotate_left(2) ^ fold(byte), step.rotate_right(2) ^ fold(byte))
    });
    let (bucket, block_step) = name.iter().rev().fold((0u16, 0u16), |(bucket, step), &byte| {
        (bucket.rotate_right(2) ^ fold(byte), step.rotate_left(2) ^ fold(byte))
    });
    let step = |step: u16, of: usize| (usize::from(step) % of).max(1);
    (
        usize::from(block) % blocks,
        step(block_step, blocks),
        usize::from(bucket) % BUCKETS,
        step(bucket_step, BUCKETS),
    )
}
