//! Tables with artificial rows.

use super::layout::{Layout, Scale};
use super::row::{Failed, Figures, Region};
use super::*;
use crate::Detail;
#[cfg(feature = "parquet")]
use ::parquet::file::reader::{FileReader, SerializedFileReader};
#[cfg(feature = "parquet")]
use ::parquet::record::Field;
use p5_results::StopReason;

const STYLE: Style = Style::plain(80, Detail::Short);

fn axis(name: &str, values: &[&str]) -> Axis {
    Axis {
        name: name.to_owned(),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    }
}

/// A row whose clocks are 100 plus its number.
fn row(index: u64, region: &str) -> Row {
    Row {
        status: "return".to_owned(),
        message: None,
        figures: Some(Figures {
            cycles: 100 + index,
            cold_cycles: 200 + index,
            instructions: 50,
            pairs: index,
        }),
        regions: vec![Region {
            name: region.to_owned(),
            cycles: None,
            cold_cycles: Some(7 + index),
            passes: Some(1),
        }],
        events: vec![(index != 1).then_some(index)],
        budgets: (index > 0).then(|| Failed {
            count: index / 2,
            first: (index > 1).then(|| format!("{index} clocks, but the budget is at most 1 (a.asm:3)")),
        }),
        open_questions: if index == 3 {
            vec!["imul_r32".to_owned()]
        } else {
            Vec::new()
        },
        assumed: None,
        doubted: if index == 2 {
            vec!["FSIN FCOS".to_owned()]
        } else {
            Vec::new()
        },
        region_misses: false,
    }
}

fn sweep(axes: Vec<Axis>, region: &str) -> Sweep {
    let count: usize = axes.iter().map(|axis| axis.values.len()).product();
    Sweep {
        program: "a<b>\u{1b}.asm".to_owned(),
        axes,
        events: vec![Event::AGI_STALLS],
        regions: vec![region.to_owned()],
        rows: (0..count as u64).map(|index| row(index, region)).collect(),
    }
}

fn written(sweep: &Sweep, format: SweepFormat, figures: &[&str]) -> Vec<u8> {
    let figures: Vec<String> = figures.iter().map(|&figure| figure.to_owned()).collect();
    let mut out = Vec::new();
    sweep.write(format, &figures, &STYLE, &mut out).expect("a vector");
    out
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_map_has_the_longest_numeric_option_across_and_a_group_for_each_value_of_the_rest() {
    let sweep = sweep(
        vec![
            axis("cpu", &["a", "b"]),
            axis("memory", &["l2", "dram", "vga", "ideal"]),
            axis("cpl", &["0"]),
            axis("define.N", &["1", "2", "3"]),
        ],
        "r",
    );
    let layout = Layout::of(&sweep);
    assert_eq!((layout.across, layout.down), (Some(3), Some(1)));
    let groups = layout.groups(&sweep);
    let titles: Vec<&str> = groups.iter().map(|group| &*group.title).collect();
    assert_eq!(titles, ["cpu a", "cpu b"]);
    assert_eq!(groups[1].grid, [[12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23]]);
    for group in &groups {
        for (down, line) in group.grid.iter().enumerate() {
            for (across, &row) in line.iter().enumerate() {
                assert_eq!((sweep.value(row, 1), sweep.value(row, 3)), (down, across));
            }
        }
    }
    assert_eq!(sweep.named(23), "cpu b, memory ideal, define.N 3");
}

#[test]
fn a_scale_ends_with_the_first_row_of_the_least_and_of_the_most() {
    let mut sweep = sweep(vec![axis("define.N", &["1", "2", "3", "4"])], "r");
    let columns = sweep.drawn(&["event.AGI_STALLS".to_owned()]);
    let scale = Scale::of(&sweep, &columns[0]).expect("three rows have it");
    assert_eq!((scale.least, scale.most), ((0.0, 0), (3.0, 3)));
    assert_eq!([0.0, 1.5, 3.0].map(|figure| scale.place(figure)), [0.0, 0.5, 1.0]);
    // Without a choice, an event that has a column is drawn after the clocks.
    let usual: Vec<String> = sweep.drawn(&[]).into_iter().map(|column| column.name).collect();
    assert_eq!(usual.last().map(String::as_str), Some("event.AGI_STALLS"), "{usual:?}");
    assert!(usual.len() > 1, "{usual:?}");
    sweep.rows.iter_mut().for_each(|row| row.events = vec![None]);
    assert_eq!(Scale::of(&sweep, &columns[0]), None);
    let drawn = text(written(&sweep, SweepFormat::Text, &["event.AGI_STALLS"]));
    assert!(drawn.contains("No run has this figure."), "{drawn}");
}

#[test]
fn text_of_the_program_is_harmless_in_every_format() {
    let hostile = "=\"<script>\u{202e}";
    let mut sweep = sweep(vec![axis("define.N", &["-1", "=1+1"])], hostile);
    sweep.rows[1] = Row::not_assembled("<b>\u{1b}[31m, \"x\"\n".to_owned(), &sweep.events);
    for format in [
        SweepFormat::Text,
        SweepFormat::Json,
        SweepFormat::Csv { headings: true },
        SweepFormat::Html,
    ] {
        let out = text(written(&sweep, format, &[]));
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{format:?}: {out}");
        assert!(
            format != SweepFormat::Html || !out.contains("<script") && !out.contains("<b>"),
            "{out}"
        );
    }
    let table = text(written(&sweep, SweepFormat::Csv { headings: false }, &[]));
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(table.as_bytes());
    let records: Vec<::csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("records");
    // Because one value is not a number, all are texts.
    assert_eq!((&records[0][0], &records[1][0]), ("'-1", "'=1+1"));
    assert_eq!(records[0].len(), sweep.columns().len());
    let numeric = Sweep {
        axes: vec![axis("define.N", &["-1", "1"])],
        ..sweep
    };
    assert!(text(written(&numeric, SweepFormat::Csv { headings: false }, &[])).starts_with("-1,"));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_every_cell_of_the_table() {
    let mut sweep = sweep(
        vec![axis("cpu", &["a", "b"]), axis("define.N", &["1", "2", "3"])],
        "r.s",
    );
    sweep.rows[4] = Row::not_assembled("why".to_owned(), &sweep.events);
    let bytes = written(&sweep, SweepFormat::Parquet, &[]);
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(&bytes).expect("it is written");
    let reader = SerializedFileReader::new(file).expect("a file");
    let columns = sweep.columns();
    let mut read = 0;
    for (index, record) in reader.get_row_iter(None).expect("rows").enumerate() {
        let record = record.expect("a row");
        assert_eq!(record.len(), columns.len());
        for ((name, field), column) in record.get_column_iter().zip(&columns) {
            assert_eq!(*name, column.name);
            let cell = match field {
                Field::Null => Cell::Missing,
                Field::Str(text) => Cell::Text(text),
                Field::Long(figure) => Cell::Integer(*figure),
                Field::Double(figure) => Cell::Real(*figure),
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(cell, sweep.cell(index, column), "{name} of row {index}");
            read += 1;
        }
    }
    assert_eq!(read, 6 * columns.len());
}

#[test]
fn a_large_table_is_drawn_in_bounded_space() {
    let numbers: Vec<String> = (0..300).map(|number: u32| number.to_string()).collect();
    let names: Vec<&str> = numbers.iter().map(|number| &**number).collect();
    let sweep = sweep(vec![axis("define.M", &names), axis("define.N", &names)], "r");
    let drawn = text(written(&sweep, SweepFormat::Text, &["cycles"]));
    assert!(drawn.lines().count() < 90, "{drawn}");
    assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    let page = text(written(&sweep, SweepFormat::Html, &["cycles"]));
    assert!(page.len() < 3 << 20, "{} bytes", page.len());
    assert!(page.contains("The first 2000 of 90000 runs"));
    let numbers: Vec<String> = (0..90_000).map(|number: u32| number.to_string()).collect();
    let line = Sweep {
        axes: vec![Axis {
            name: "define.N".to_owned(),
            values: numbers,
        }],
        ..sweep
    };
    let drawn = text(written(&line, SweepFormat::Text, &["cycles"]));
    assert!(
        drawn.lines().count() < 90 && drawn.lines().all(|line| line.chars().count() <= 80),
        "{drawn}"
    );
    let page = text(written(&line, SweepFormat::Html, &["cycles"]));
    assert!(page.len() < 3 << 20, "{} bytes", page.len());
}

#[test]
fn a_page_has_a_largest_size_and_says_what_it_leaves_out() {
    let many = |prefix: &str, count: u32| -> Vec<String> { (0..count).map(|at| format!("{prefix}{at}")).collect() };
    let axis = |name: &str, values: Vec<String>| Axis {
        name: name.to_owned(),
        values,
    };
    // A quotation mark takes six bytes.
    let long = "\"".repeat(200);
    let mut axes = vec![
        axis("define.A", many(&long, 30)),
        axis("define.M", many("", 20)),
        axis("define.N", many("", 15)),
    ];
    axes.extend((0..300).map(|at| axis(&format!("define.{at}{long}"), vec![long.clone()])));
    let regions: Vec<String> = many(&long, 100);
    let mut large = sweep(axes, &regions[0]);
    for row in &mut large.rows {
        let region = row.regions[0].clone();
        let named = regions.iter().map(|name| Region {
            name: name.clone(),
            cycles: region.cold_cycles,
            ..region.clone()
        });
        row.regions = named.collect();
    }
    large.regions = regions;
    let page = text(written(&large, SweepFormat::Html, &[]));
    assert!(page.len() <= crate::page::LARGEST, "{} bytes", page.len());
    for words in [
        "of 30 combinations of the other options are not drawn",
        "more figures, for which the page has no room",
        "of 9000 runs; CSV",
        "The first 200 of 613 columns",
        "103 more options",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let drawn = text(written(&large, SweepFormat::Text, &[]));
    let lines = drawn.lines().count();
    assert!(lines < 64 * 70, "{lines} lines");
    assert!(drawn.contains("98 more figures"), "{drawn}");
    assert!(drawn.contains("26 more combinations of the other options"), "{drawn}");
}

#[test]
fn the_policy_of_the_page_has_the_sum_of_its_style() {
    crate::page::tests::assert_contained(crate::plot::STYLE);
    let sweep = sweep(vec![axis("define.N", &["1", "2"]), axis("cpu", &["a", "b"])], "r");
    let page = text(written(&sweep, SweepFormat::Html, &[]));
    assert!(page.contains("Content-Security-Policy"));
    assert!(!page.contains("style=\""), "the policy forbids style attributes");
}

#[test]
fn every_way_to_be_stopped_has_a_letter() {
    for reason in StopReason::ALL {
        let letter = layout::LETTERS.iter().find(|(status, _)| *status == reason.name());
        assert_eq!(letter.is_none(), reason.by_program(), "{}", reason.name());
    }
}

#[test]
fn regions_stand_where_their_columns_are() {
    let mut sweep = sweep(vec![axis("define.N", &["1", "2"])], "second");
    sweep.regions = ["first", "second", "third"].map(str::to_owned).to_vec();
    let before = sweep.clone();
    let sweep = sweep.aligned();
    for column in sweep.columns() {
        for index in 0..2 {
            assert_eq!(
                sweep.cell(index, &column),
                before.cell(index, &column),
                "{}",
                column.name
            );
        }
    }
    assert_eq!(sweep.rows[1].regions[1].cold_cycles, Some(8));
    let names: Vec<&str> = sweep.rows[0].regions().collect();
    assert_eq!(names, ["first", "second", "third"]);
}

#[test]
fn a_sweep_of_single_runs_draws_the_cold_clocks_of_its_regions() {
    let sweep = sweep(vec![axis("define.N", &["1", "2"])], "r");
    let [cold, warm] = ["region.r.cold_cycles", "region.r.cycles"].map(str::to_owned);
    let drawn: Vec<String> = sweep.drawn(&[]).into_iter().map(|column| column.name).collect();
    assert!(drawn.contains(&cold) && !drawn.contains(&warm), "{drawn:?}");
    for format in [SweepFormat::Text, SweepFormat::Html] {
        let told = text(written(&sweep, format, &[]));
        assert!(told.contains("Cold clocks, as no run has a warm pass."), "{told}");
        let told = text(written(&sweep, format, &[&warm]));
        let words = "No run has this figure: no run has a warm pass; `region.r.cold_cycles`";
        assert!(
            told.split_whitespace().collect::<Vec<_>>().join(" ").contains(words),
            "{told}"
        );
    }
    let mut both = sweep;
    both.rows[1].regions[0].cycles = Some(3);
    let drawn: Vec<String> = both.drawn(&[]).into_iter().map(|column| column.name).collect();
    assert!(!drawn.contains(&cold) && drawn.contains(&warm), "{drawn:?}");
}
