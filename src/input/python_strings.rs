//! Just enough of Python's lexical rules to see that a cell was cut in two.

/// The quotes of a triple-quoted string that is still open at the end of `code`.
pub fn open_string(code: &str) -> Option<&'static str> {
    if !has_triple(code.as_bytes()) || code.trim_start().starts_with("%%") {
        return None;
    }
    let bytes = code.as_bytes();
    let mut open: Option<&'static str> = None;
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if let Some(quotes) = open {
            let closed = rest.starts_with(quotes.as_bytes());
            at += match rest[0] {
                _ if closed => 3,
                b'\\' => 2,
                _ => 1,
            };
            open = open.filter(|_| !closed);
            continue;
        }
        match rest[0] {
            // Comments, and the lines of a shell.
            b'#' => at += end_of_line(rest),
            b'!' | b'%' if line_start => at += end_of_line(rest),
            quote @ (b'"' | b'\'') => {
                let triple = if quote == b'"' { "\"\"\"" } else { "'''" };
                if rest.starts_with(triple.as_bytes()) {
                    open = Some(triple);
                    at += 3;
                } else {
                    at += plain_string(rest, quote);
                }
                line_start = false;
            }
            byte => {
                line_start = byte == b'\n' || (line_start && matches!(byte, b' ' | b'\t'));
                at += 1;
            }
        }
    }
    open
}

/// Whether three equal quotes stand side by side: nearly no cell has them, and this is asked of each.
fn has_triple(code: &[u8]) -> bool {
    memchr::memchr2_iter(b'"', b'\'', code).any(|at| code[at..].starts_with(&[code[at]; 3]))
}

fn end_of_line(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

/// Length of a string of one line, with its quotes; an unfinished one ends before the line end.
fn plain_string(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}
