//! The bounds in reports hold: on every chip, no pass of random code and no loop takes fewer clocks.

use fastrand::Rng;
use runtime::machine::Options;
use runtime::model::{MODELS, Model};
use runtime::report::{self, Detail, Format, Style};
use serde_json::Value;

/// Instructions with every kind of result for which another instruction can wait.
const LINES: &[&str] = &[
    "add eax,ebx",
    "adc ecx,eax",
    "adc edx,[esi]",
    "add dword ptr [esi+8],eax",
    "sbb ebx,edx",
    "sub edx,1",
    "inc eax",
    "dec ebx",
    "setc al",
    "setz bl",
    "cmc",
    "lahf",
    "sahf",
    "rcl eax,1",
    "shl eax,cl",
    "shr edx,3",
    "mov eax,edx",
    "mov ebx,[esi+4]",
    "mov [esi+12],ebx",
    "lea edx,[eax+ebx*2]",
    "movzx ecx,al",
    "imul eax,ebx",
    "mul edx",
    "bsf eax,edi",
    "bsr edx,edi",
    "push eax\npop edx",
    "xchg eax,ebx",
    "fld1\nfadd st,st\nfstp st",
    "fild dword ptr [esi]\nfmul st,st\nfmul st,st\nfistp dword ptr [esi+16]",
    "fld1\nfld1\nfdiv\nfxch\nfstp st",
    "call f",
    "cmp eax,ebx\njb $+3\ninc edx",
    "xor ecx,ecx\nmov cl,7\nmov edi,offset y\nrep stosd\nmov edi,0F00h",
];
const PACKED: &[&str] = &[
    "pmullw mm0,mm1",
    "pmaddwd mm1,mm0",
    "paddw mm0,mm2",
    "psllq mm2,3",
    "punpcklbw mm0,mm2",
    "movd eax,mm0",
    "movd mm1,ebx",
    "movq [esi+16],mm0",
    "movq mm2,[esi]",
];

fn json(model: &'static Model, text: &str) -> Value {
    let options = Options {
        runs: 3,
        ..Options::default()
    };
    let run = snapshots::run("bound.asm", text, model, &options).unwrap_or_else(|why| panic!("{why}\n{text}"));
    assert!(run.stop.reason.by_program(), "{:?}\n{text}", run.stop);
    let style = Style::plain(80, Detail::Short);
    let mut report = Vec::new();
    report::write(Format::Json, &run, &style, &mut report).expect("written to memory");
    serde_json::from_slice(&report).expect("JSON")
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn body(random: &mut Rng, model: &Model) -> String {
    let packed = model.name == "p55c" && random.bool();
    let pool = if packed {
        // The floating-point unit and MMX share registers, so a body has only one of them.
        [LINES, PACKED]
            .concat()
            .into_iter()
            .filter(|line| !line.starts_with('f'))
            .collect()
    } else {
        LINES.to_vec()
    };
    let lines = (0..random.usize(1..14)).map(|_| pool[random.usize(..pool.len())]);
    lines.collect::<Vec<_>>().join("\n")
}

const BEFORE: &str = ".586\n.mmx\n.data\nalign 32\nx dd 5,3,17,0,9,9,9,9\ny dd 16 dup(1)\n.code\nf: inc ebx\nret\n\
                      start: mov esi,offset x\nmov edi,0F00h\nmov ebp,40\n";

#[test]
fn no_pass_takes_less_than_its_bound() {
    let first = p5_seeds::seed();
    let mut largest = 0;
    for seed in first..first + 400 {
        let mut random = Rng::with_seed(seed);
        let model = MODELS[seed as usize % MODELS.len()];
        let body = body(&mut random, model);
        let report = json(model, &format!("{BEFORE}{body}\nret\nend start\n"));
        let (bound, took) = (
            &report["diagram"]["bound"]["clocks"],
            &report["own"]["totals"]["cycles"],
        );
        let [bound, took] = [bound, took].map(number);
        assert!(
            0 < bound && bound <= took,
            "seed {seed}, {}: {bound} of {took}\n{body}",
            model.name
        );
        largest = largest.max(bound * 100 / took);
    }
    assert_eq!(largest, 100, "some pass reaches its bound");
}

#[test]
fn no_loop_takes_less_than_its_bound() {
    let first = p5_seeds::seed();
    for seed in first..first + 200 {
        let mut random = Rng::with_seed(seed);
        let model = MODELS[seed as usize % MODELS.len()];
        let body = body(&mut random, model);
        let report = json(
            model,
            &format!("{BEFORE}again: {body}\ndec ebp\njnz again\nret\nend start\n"),
        );
        let rows = report["diagram"]["rows"].as_array().expect("rows");
        let loops: Vec<&Value> = rows
            .iter()
            .map(|row| &row["loop"])
            .filter(|row| row.is_object())
            .collect();
        let [only] = loops[..] else {
            panic!("seed {seed}: {} loops\n{body}", loops.len());
        };
        assert!(number(&only["rounds"]) >= 39, "seed {seed}: {only}\n{body}");
        let paths = only["paths"].as_array().expect("paths");
        let rounds: u64 = paths.iter().map(|path| number(&path["rounds"])).sum();
        assert_eq!(rounds, number(&only["rounds"]), "seed {seed}\n{body}");
        for path in paths {
            let [bound, rounds, cycles] = [&path["bound"]["clocks"], &path["rounds"], &path["cycles"]].map(number);
            // Nothing before the first round delays it.
            assert!(
                0 < bound && bound * (rounds - 1) <= cycles,
                "seed {seed}, {}: {bound} in each of {rounds} rounds, which take {cycles}\n{body}",
                model.name
            );
            let least = number(&path["round_cycles"]).min(path["others"][0].as_u64().unwrap_or(u64::MAX));
            assert!(
                paths.len() == 1 || bound <= least,
                "seed {seed}, {}: {bound} of {least}\n{body}",
                model.name
            );
        }
    }
}

#[test]
fn no_loop_around_a_loop_takes_less_than_its_bound() {
    let first = p5_seeds::seed();
    let mut bounds = 0;
    for seed in first..first + 100 {
        let mut random = Rng::with_seed(seed);
        let model = MODELS[seed as usize % MODELS.len()];
        let body = body(&mut random, model);
        let text = format!(
            "{BEFORE}again: mov dword ptr y+60,3\ninner: {body}\ndec dword ptr y+60\njnz inner\ndec ebp\njnz again\nret\n\
             end start\n"
        );
        let report = json(model, &text);
        let rows = report["diagram"]["rows"].as_array().expect("rows");
        let paths = rows.iter().filter_map(|row| row["loop"]["paths"].as_array()).flatten();
        for path in paths {
            let bound = number(&path["bound"]["clocks"]);
            let least = number(&path["round_cycles"]).min(path["others"][0].as_u64().unwrap_or(u64::MAX));
            let what = format!("seed {seed}, {}: {bound} of {least}\n{body}", model.name);
            assert!(0 < bound && bound <= least, "{what}");
            bounds += 1;
        }
    }
    assert!(bounds >= 100, "{bounds} bounds");
}
