//! `read`, `write`, `append`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use serde_json::json;

use super::arguments::Arguments;
use super::path::{shown, system_error};
use super::{HelperError, Outcome};
use crate::limits::HELPER_RESULT_MAX_BYTES;

pub(super) fn read(arguments: &mut Arguments) -> Result<Outcome, HelperError> {
    let (given, path) = arguments.required_path("path")?;
    let offset = arguments.whole("offset", 1)?.unwrap_or(1);
    let limit = arguments.whole("limit", 0)?;
    let bytes = read_lines(&path, &given, offset, limit)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().count();
    Outcome::new(&text, json!({ "op": "read", "path": shown(&path), "bytes": bytes.len(), "lines": lines }))
}

/// The bytes of `limit` lines from line `offset` (from 1) on, line ends as they stand.
pub(super) fn read_lines(path: &Path, given: &str, offset: u64, limit: Option<u64>) -> Result<Vec<u8>, HelperError> {
    let error = |error: &io::Error| system_error(given, error);
    let metadata = fs::metadata(path).map_err(|found| error(&found))?;
    if metadata.is_dir() {
        return Err(HelperError::failed(format!("is a folder: {given}")));
    }
    // A FIFO or a terminal would wait for somebody.
    if !metadata.is_file() {
        return Err(HelperError::failed(format!("not a regular file: {given}")));
    }
    let mut reader = BufReader::new(File::open(path).map_err(|found| error(&found))?);
    for _ in 1..offset {
        if !skip_line(&mut reader).map_err(|found| error(&found))? {
            return Ok(Vec::new());
        }
    }
    // One byte more than fits, to see that there is more.
    let mut reader = reader.take(HELPER_RESULT_MAX_BYTES as u64 + 1);
    let mut bytes = Vec::new();
    match limit {
        None => {
            reader.read_to_end(&mut bytes).map_err(|found| error(&found))?;
        }
        Some(limit) => {
            for _ in 0..limit {
                if reader.read_until(b'\n', &mut bytes).map_err(|found| error(&found))? == 0 {
                    break;
                }
            }
        }
    }
    if bytes.len() > HELPER_RESULT_MAX_BYTES {
        return Err(HelperError::failed(format!(
            "{given} has more than {} MiB to read; read it in parts with `offset` and `limit`",
            HELPER_RESULT_MAX_BYTES / 1024 / 1024
        )));
    }
    Ok(bytes)
}

/// Steps over one line, however long; false at the end of the file.
fn skip_line(reader: &mut impl BufRead) -> io::Result<bool> {
    let mut any = false;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(any);
        }
        any = true;
        match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                reader.consume(at + 1);
                return Ok(true);
            }
            None => {
                let length = buffer.len();
                reader.consume(length);
            }
        }
    }
}

pub(super) fn write(arguments: &mut Arguments, append: bool) -> Result<Outcome, HelperError> {
    let (given, path) = arguments.required_path("path")?;
    let data = arguments.data("data")?;
    let error = |error: io::Error| system_error(&given, &error);
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => return Err(HelperError::failed(format!("is a folder: {given}"))),
        Ok(metadata) if !metadata.is_file() => return Err(HelperError::failed(format!("not a regular file: {given}"))),
        _ => {}
    }
    if given.ends_with(std::path::is_separator) {
        return Err(HelperError::failed(format!("is a folder: {given}")));
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|found| match found.kind() {
            io::ErrorKind::AlreadyExists => HelperError::failed(format!("a part of the path is not a folder: {given}")),
            _ => error(found),
        })?;
    }
    let mut options = OpenOptions::new();
    options.create(true);
    let options = if append { options.append(true) } else { options.write(true).truncate(true) };
    options.open(&path).and_then(|mut file| file.write_all(&data)).map_err(error)?;
    let op = if append { "append" } else { "write" };
    Outcome::new(&shown(&path), json!({ "op": op, "path": shown(&path), "bytes": data.len() }))
}
