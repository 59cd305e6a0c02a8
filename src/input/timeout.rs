//! Deadlines as a cell asks for them.

use std::time::Duration;

use crate::limits;
use crate::options::Timeouts;

/// A deadline that a cell asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Timeout {
    /// `t:0`: as long as the host allows.
    HostMaximum,
    /// Whole milliseconds, from 1 to [`limits::LONGEST_TIMEOUT_REQUEST`].
    After(Duration),
}

impl Timeout {
    /// `seconds` must be finite and not negative, else `None`. Anything above zero is at least a millisecond, so that
    /// rounding never turns the shortest deadline into the longest.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        if seconds.is_nan() || seconds < 0.0 {
            return None;
        }
        if seconds == 0.0 {
            return Some(Self::HostMaximum);
        }
        let longest = limits::LONGEST_TIMEOUT_REQUEST.as_millis() as f64;
        let milliseconds = (seconds * 1_000.0).round().clamp(1.0, longest);
        Some(Self::After(Duration::from_millis(milliseconds as u64)))
    }

    /// The text of a `t:` attribute: a number with optional `ms`, `s` or `m`, in any case; a plain number is seconds.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let factor = match unit.to_ascii_lowercase().as_str() {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" => 60.0,
            _ => return None,
        };
        // A number has a digit and at most one point; `parse` refuses everything else, and takes any length.
        let number: f64 = number.parse().ok()?;
        Self::from_seconds(number * factor)
    }
}

/// The deadline a cell gets from this host.
pub fn clamp_timeout(requested: Option<Timeout>, timeouts: &Timeouts) -> Duration {
    match requested {
        None => timeouts.default.clamp(timeouts.min.min(timeouts.max), timeouts.max),
        Some(Timeout::HostMaximum) => timeouts.max,
        Some(Timeout::After(duration)) => duration.max(timeouts.min).min(timeouts.max),
    }
}

/// `ParsedCell.timeoutMs`: a parser that knows no host says what the documented defaults make of the request: the
/// default when there is none, at most the maximum. A short one stays as it was written, for a reader to recognize.
pub(super) fn documented_milliseconds(requested: Option<Timeout>) -> u64 {
    let duration = match requested {
        None => limits::DEFAULT_TIMEOUT,
        Some(Timeout::HostMaximum) => limits::MAX_TIMEOUT,
        Some(Timeout::After(duration)) => duration.min(limits::MAX_TIMEOUT),
    };
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
