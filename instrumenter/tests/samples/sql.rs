//! Questions in SQL: they can only read, for a limited time.

use super::specimen::recording;
use super::{answered, query, refused, stored};
use fastrand::Rng;
use std::process::Command;

#[test]
fn sql_can_only_read_and_not_for_ever() {
    let (folder, path) = stored(&recording(&mut Rng::with_seed(3), 300));
    let before = std::fs::read(&path).expect("a file");
    let target = folder.path().join("target");
    let target = target.to_str().expect("UTF-8");
    for question in [
        "delete from samples where 1",
        "create table x (y)",
        "pragma user_version = 7",
        "select load_extension('x')",
        "begin immediate transaction",
        "select * from pragma_database_list ",
        "select fts3_tokenizer('simple') ",
        &format!("attach '{target}' as other"),
        &format!("vacuum into '{target}'"),
        &format!("select writefile('{target}', 'x')"),
        "select readfile('/etc/passwd') ",
        "select 1; select 2",
        "select nothing from nowhere",
        "/* no question */",
        "select zeroblob(1000000000) ",
    ] {
        refused(&path, &[question]);
    }
    let endless = "with recursive more(n) as (select 1 union all select n + 1 from more) select count(*) from more";
    assert!(refused(&path, &[endless, "--timeout", "0.2"]).contains("--timeout"));
    let many = "with recursive more(n) as (select 1 union all select n + 1 from more) select n from more";
    assert!(refused(&path, &[&format!("{many} order by hex(zeroblob(9000)) || n")]).contains("too much memory"));
    assert!(answered(&path, &[many, "--rows", "5"]).contains("only the first 5 rows"));
    let table = query(&path, &[many, "--rows", "5", "--format", "csv"]);
    let (rows, said) = [table.stdout, table.stderr]
        .map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
        .into();
    assert_eq!(
        (rows.as_str(), said.as_str()),
        (
            "n\n1\n2\n3\n4\n5\n",
            "note: only the first 5 rows; `--rows` sets how many\n"
        )
    );
    let large = "select count(*) from samples where number > 1e999";
    assert!(refused(&path, &[large]).contains("number too large: 1e999"));
    for sum in ["0x1e+1e999", "0X1E-1e999", "1e+1e999"] {
        let told = refused(&path, &[&format!("select {sum} as x")]);
        assert_eq!(
            told.contains("number too large: 1e999"),
            !sum.starts_with('1'),
            "{sum}: {told}"
        );
    }
    assert!(answered(&path, &["select /*/ 1e999 */ 1 as x"]).contains('1'));
    assert!(refused(&path, &["select 1e308 * 10 as x"]).contains("too large, in column `x`"));
    assert!(answered(&path, &["select '1e999' as a1e999, 1.5e+300 /* 1e999 */ -- 1e999"]).contains("1e999"));
    assert!(answered(&path, &["select char(27) || '[2J' as x, 1 as x"]).contains("1"));
    assert!(!answered(&path, &["select char(27) || '[2J' as x"]).contains('\u{1b}'));
    assert!(!std::fs::exists(target).expect("a directory"));
    assert!(std::fs::read(&path).expect("a file") == before);
}

#[test]
fn a_column_of_another_view_is_found() {
    let (_folder, path) = stored(&recording(&mut Rng::with_seed(3), 300));
    let lists = "`select name, sql from sqlite_schema` lists all tables and views";
    for (question, help) in [
        (
            "select procedure from samples",
            format!("; `fetches`, `ops`, `second_ops`, `places` have it, and {lists}"),
        ),
        ("select s.Lin from samples as s", format!("; {lists}")),
        (
            "select file from samples",
            format!("; `fetches`, `ops`, `second_ops`, `lines` have it, and {lists}"),
        ),
        ("select address from nowhere", format!("; {lists}")),
    ] {
        let told = refused(&path, &[question]);
        assert!(told.trim_end().ends_with(&help), "{question}: {told}");
    }
    assert!(!refused(&path, &["select from"]).contains(lists));
}

#[test]
fn reading_a_file_and_the_one_to_compare_with_has_a_limit() {
    let (_folder, path) = stored(&recording(&mut Rng::with_seed(7), 2_000));
    let file = path.to_str().expect("a path");
    for question in [&["top"][..], &["diff", file], &["select 1"]] {
        let error = refused(&path, &[question, &["--timeout", "0.00001"]].concat());
        assert!(error.contains("takes longer than 0.00001 s"), "{error}");
    }
    answered(&path, &["diff", file, "--timeout", "0"]);
}

#[test]
fn a_single_slow_step_does_not_outlast_the_timeout() {
    let (_folder, path) = stored(&recording(&mut Rng::with_seed(3), 50));
    // SQLite computes equal constants once, so each is different; it checks the clock only after all of them.
    let one = |length: usize| format!("instr(hex(zeroblob(32000)), hex(zeroblob({length})) || '1')");
    let slow = format!("select {}", (15_000..15_600).map(one).collect::<Vec<_>>().join(" + "));
    let searched = refused(&path, &["select instr(zeroblob(1000000), zeroblob(500000)||x'01')"]);
    assert!(searched.contains("too big"), "{searched}");
    // Whatever else the machine does, the command gives up long before it has used this much processor time.
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -t 5; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_p5inst"),
            "query",
        ])
        .arg(&path)
        .args([&slow, "--timeout", "1"])
        .output()
        .expect("the shell starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{}: {error}", output.status);
    assert!(error.contains("--timeout"), "{error}");
}
