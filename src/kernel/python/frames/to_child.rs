//! From the host to the child.

use std::collections::BTreeMap;

use serde::Serialize;

/// Host to child.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ToChild<'a> {
    /// The first frame, and the only one before `boot-ack`.
    Boot {
        sources: BTreeMap<&'a str, &'a str>,
        cwd: &'a str,
        limits: BootLimits,
        /// Characters of one displayed text.
        max_text: usize,
        /// Bytes of one displayed image.
        max_image: usize,
        /// Descriptors, besides the protocol's own, that no child of the kernel may get.
        close_on_exec: Vec<i32>,
    },
    Run {
        id: u64,
        cell: &'a str,
        code: &'a str,
        /// Set when the value is wanted as JSON of at most so many bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_value: Option<usize>,
        /// The tools, when they are not those of the run before.
        #[serde(skip_serializing_if = "Option::is_none")]
        tools: Option<&'a [String]>,
        #[serde(skip_serializing_if = "Option::is_none")]
        open_tools: Option<bool>,
    },
    /// All output before the frame with this place has been read.
    Drained {
        place: u64,
    },
    /// Stop this run; 0 means: whatever keeps the idle kernel busy. Always followed by a signal.
    Interrupt {
        run: u64,
    },
    Variables {
        id: u64,
    },
    Exit,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct BootLimits {
    /// Processor time of the kernel, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<u64>,
    /// Address space of the kernel, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_space_bytes: Option<u64>,
}

impl ToChild<'_> {
    /// The line, with its end.
    pub fn line(&self) -> Vec<u8> {
        // Strings, numbers and maps with string keys: nothing in it can fail.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// The line of a `reply`, which carries JSON that is already text.
pub fn reply_line(id: u64, answer: &Result<String, String>) -> Vec<u8> {
    match answer {
        // The host gave `undefined`.
        Ok(value) if value.is_empty() => format!(r#"{{"type":"reply","id":{id},"ok":true}}"#) + "\n",
        Ok(value) => {
            let mut line = format!(r#"{{"type":"reply","id":{id},"ok":true,"value":"#).into_bytes();
            line.reserve(value.len() + 2);
            if memchr::memchr2(b'\n', b'\r', value.as_bytes()).is_none() {
                line.extend_from_slice(value.as_bytes());
            } else {
                // A line break can only be white space between tokens.
                line.extend(value.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
            }
            line.extend_from_slice(b"}\n");
            return line;
        }
        Err(message) => {
            let message = serde_json::to_string(message).unwrap_or_default();
            format!(r#"{{"type":"reply","id":{id},"ok":false,"message":{message}}}"#) + "\n"
        }
    }
    .into_bytes()
}
