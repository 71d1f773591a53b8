//! The files of an assembly: the check that they are source text, and their total size.

use super::Session;
use crate::diag::{Span, fault};
use p5_image::SourceFile;
use std::sync::Arc;

impl Session {
    /// Adds a file's text to the sources; rejects binary files and excessive text.
    pub(crate) fn add_file(&mut self, name: &str, text: Arc<str>, span: Span) -> Option<u32> {
        self.source_bytes += text.len() as u64;
        let index = self.files.len() as u32;
        let binary = looks_binary(&text);
        let zeroes = text.bytes().take(1000).filter(|&byte| byte == 0).count();
        let wide = zeroes * 5 > text.len().min(1000) * 2 && zeroes < text.len().min(1000);
        let known = SourceFile::new(name, if binary { Arc::from("") } else { text });
        self.files.push(known);
        if self.source_bytes > self.limits.source_bytes {
            let limit = self.limits.source_bytes >> 20;
            self.give_up(fault(span, format!("sources are larger than {limit} MiB")));
            return None;
        }
        if binary {
            let problem = fault(
                span,
                format!("`{name}` is not assembly source: it contains binary data"),
            );
            let help = if wide {
                "save it as UTF-8 or plain text: it looks like UTF-16 without a byte order mark"
            } else {
                "pass the source file instead"
            };
            self.report(problem.with_help(help));
            return None;
        }
        Some(index)
    }
}

/// Whether a file is binary: it contains zero bytes, or many control characters near its start. What follows a DOS
/// end of file mark is not read: old editors padded the last block of a file with anything.
fn looks_binary(text: &str) -> bool {
    let start: &[u8] = text.as_bytes().get(..65_536).unwrap_or(text.as_bytes());
    let start = start.split(|&byte| byte == 0x1A).next().unwrap_or(start);
    let odd = start
        .iter()
        .filter(|&&byte| byte < 32 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0xC | 0x1A))
        .count();
    start.contains(&0) || odd * 8 > start.len()
}
