//! Every sentence of a result, built from facts. Nothing else words anything.

use std::time::Duration;

use crate::kernel::contract::{Outcome, State, WaitingFor};
use crate::language::Language;

use super::facts::{CellEnd, StopCause};
use super::result::{FailureKind, Truncation};

pub const NO_OUTPUT: &str = "(no output)";
pub const NO_TEXT_OUTPUT: &str = "(no text output)";
pub const BACKGROUND_HEADING: &str = "Background output of earlier cells:";
pub const LATER_CELLS: &str = "Later cells did not run.";
/// `1234567` as `1 234 567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// `5 242 880` bytes as `5 MB`.
pub fn byte_size(bytes: u64) -> String {
    const STEP: f64 = 1024.0;
    let mut size = bytes as f64;
    let mut unit = "bytes";
    for larger in ["KB", "MB", "GB", "TB"] {
        if size < STEP {
            break;
        }
        size /= STEP;
        unit = larger;
    }
    if unit == "bytes" { counted(bytes, "byte") } else { format!("{} {unit}", one_decimal(size)) }
}

/// `350 ms`, `1 s`, `12.5 s`, `2 min 5 s`.
pub fn duration(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        return format!("{} ms", time.as_millis());
    }
    let seconds = time.as_secs_f64();
    if seconds < 59.95 {
        return format!("{} s", one_decimal(seconds));
    }
    let seconds = seconds.round() as u64;
    match seconds % 60 {
        0 => format!("{} min", seconds / 60),
        rest => format!("{} min {rest} s", seconds / 60),
    }
}

fn one_decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// `1 line`, `2 lines`.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

pub fn displayed_images(count: usize, text_follows: bool) -> String {
    let images = counted(count as u64, "image");
    if text_follows { format!("(displayed {images})") } else { format!("(displayed {images}; no text output)") }
}

/// `[2/3] title`, `[2/3]`.
pub fn cell_heading(place: usize, of: usize, title: Option<&str>) -> String {
    match title.map(str::trim) {
        None | Some("") => format!("[{place}/{of}]"),
        Some(title) => format!("[{place}/{of}] {title}"),
    }
}

pub fn exit_code_line(code: i32) -> String {
    format!("Command exited with code {code}")
}

pub fn not_updated(names: &[String]) -> String {
    format!("Not updated: {}", names.join(", "))
}

/// `Kernel exited (signal 11); its variables are lost.`
pub fn kernel_exited(signal: Option<i32>, code: Option<i32>, reason: Option<&str>, incomplete: bool) -> String {
    let mut how: Vec<String> = Vec::new();
    match (signal, code) {
        (Some(signal), _) => how.push(format!("signal {signal}")),
        (None, Some(code)) => how.push(format!("code {code}")),
        (None, None) => {}
    }
    how.extend(reason.map(str::to_owned));
    let how = if how.is_empty() { String::new() } else { format!(" ({})", how.join(", ")) };
    let incomplete = if incomplete { " Output may be incomplete." } else { "" };
    format!("Kernel exited{how}; its variables are lost.{incomplete}")
}

pub fn invalid_output(place: &str, problem: &str) -> String {
    if place.is_empty() {
        format!("Output is not JSON: {problem}")
    } else {
        format!("Output is not JSON at {place}: {problem}")
    }
}

pub fn output_limit(bytes: usize, limit: usize) -> String {
    format!("Value of {} bytes is over the limit of {}.", grouped(bytes as u64), grouped(limit as u64))
}

/// `Timed out after 1 s while running code; variables survived (state kept).`, or the same for `Cell 2`.
pub fn stopped(end: &CellEnd, cell: Option<usize>) -> String {
    let (what, time) = match end.stop {
        Some(StopCause::Timeout(limit)) => ("timed out", limit),
        Some(StopCause::Reset) => ("aborted by a reset", end.after),
        Some(StopCause::Disposed) => ("aborted by dispose", end.after),
        Some(StopCause::Interrupt) => ("aborted by an interrupt", end.after),
        Some(StopCause::Abort) | None => ("aborted", end.after),
    };
    let subject = match cell {
        Some(place) => format!("Cell {place} {what}"),
        None => capitalized(what),
    };
    let incomplete = match end.outcome {
        Outcome::KernelExit { output_may_be_incomplete: true, .. } => " Output may be incomplete.",
        _ => "",
    };
    let survival = match end.state {
        State::Kept => "variables survived (state kept)",
        State::Lost => "its variables are lost (state lost)",
    };
    format!("{subject} after {}{}; {survival}.{incomplete}", duration(time), waiting(end.waiting_for.as_ref()))
}

fn waiting(waiting_for: Option<&WaitingFor>) -> String {
    match waiting_for {
        None => String::new(),
        Some(WaitingFor::Code) => " while running code".into(),
        Some(WaitingFor::Await) => " while waiting for a plain await".into(),
        Some(WaitingFor::Tools(names)) => {
            let plural = if names.len() == 1 { "" } else { "s" };
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(" while waiting for tool call{plural} {}", names.join(", "))
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The verdict on a failed cell among several: `Cell 2 failed (exit code 1).` and what it means for the others.
pub fn cell_failed(place: usize, code: i32) -> String {
    format!("Cell {place} failed (exit code {code}).")
}

/// What earlier cells of the call left behind. `languages` are theirs; none when the failed cell was the first.
pub fn earlier_cells(languages: &[Language], failed: Language, state: State) -> Option<String> {
    if languages.is_empty() {
        return None;
    }
    let other = languages.iter().find(|language| **language != failed);
    Some(match (state, other) {
        (State::Kept, _) => "Earlier cells succeeded, their state persists.".into(),
        (State::Lost, None) => "Earlier cells succeeded, their state is lost too.".into(),
        (State::Lost, Some(other)) => {
            format!("Earlier cells succeeded; only the state of {} cells persists.", other.title())
        }
    })
}

pub fn fix_only(place: usize) -> String {
    format!("Fix only cell {place}.")
}

/// `CellFailure.message`.
pub fn failure_message(end: &CellEnd, kind: FailureKind) -> String {
    if matches!(kind, FailureKind::Timeout | FailureKind::Abort) {
        return stopped(end, None);
    }
    match &end.outcome {
        Outcome::Syntax(thrown) | Outcome::Exception(thrown) | Outcome::Stdin(thrown) => thrown.message.clone(),
        Outcome::Exit { code, message } => message.clone().unwrap_or_else(|| ended_itself(*code)),
        Outcome::KernelExit { signal, code, reason, output_may_be_incomplete } => {
            kernel_exited(*signal, *code, reason.as_deref(), *output_may_be_incomplete)
        }
        Outcome::InvalidOutput { place, problem } => invalid_output(place, problem),
        Outcome::OutputLimit { bytes, limit } => output_limit(*bytes, *limit),
        Outcome::Complete | Outcome::Stopped => String::new(),
    }
}

pub fn ended_itself(code: i32) -> String {
    format!("The cell ended itself with exit code {code}; variables survived (state kept).")
}

/// No cell of the call ever started.
pub fn never_started(cause: StopCause) -> String {
    let why = match cause {
        StopCause::Timeout(limit) => format!("timed out after {}", duration(limit)),
        StopCause::Abort => "aborted".into(),
        StopCause::Interrupt => "aborted by an interrupt".into(),
        StopCause::Reset => "aborted by a reset".into(),
        StopCause::Disposed => "aborted by dispose".into(),
    };
    format!("The call was {why} before any cell started. No cell ran.")
}

/// The last paragraph of a call whose input ended with `*** Abort`.
pub fn input_aborted(any_ran: bool) -> String {
    let earlier = if any_ran { "Earlier cells ran and their state persists" } else { "No cell ran" };
    format!(
        "Warning: the call was cut off (*** Abort). {earlier}; the aborted cell did not run and must be sent again."
    )
}

/// Stands between head and tail.
pub fn left_out(lines: u64, bytes: u64) -> String {
    format!("[… {}, {} left out …]", counted(lines, "line"), counted(bytes, "byte"))
}

/// Stands after the part of a `display[k]:` block that is shown.
pub fn display_cut(characters: u64) -> String {
    format!("… ({} more {})", grouped(characters), if characters == 1 { "character" } else { "characters" })
}

/// The one line that says what is hidden and where the whole is. `end_only` when all that is hidden stands before what
/// is shown.
pub fn truncated(truncation: &Truncation, end_only: bool) -> String {
    let Truncation { total_lines, total_bytes, output_lines, output_bytes, .. } = truncation;
    let what = if end_only { "only the end is shown, " } else { "" };
    let verb = if end_only { "" } else { " are shown" };
    let place = if truncation.artifact_path.is_empty() {
        "The whole output could not be saved.".to_owned()
    } else {
        format!("Whole output: {}", truncation.artifact_path)
    };
    format!(
        "[Output cut: {what}{} of {} and {} of {}{verb}. {place}]",
        grouped(*output_lines),
        counted(*total_lines, "line"),
        grouped(*output_bytes),
        counted(*total_bytes, "byte"),
    )
}

pub fn output_not_saved(why: &str) -> String {
    format!("The whole output could not be saved: {why}.")
}

pub fn host_refused(what: &str, why: &str) -> String {
    format!("The host gave no place for the {what} ({why}); it stays in a temporary file.")
}

/// Why the host gave no place, where it gave no answer at all.
pub const ALLOCATE_TIMED_OUT: &str = "allocateArtifact did not answer in time";

pub fn image_saved(place: usize, mime_type: &str, bytes: u64, path: &str) -> String {
    format!("Image {place} ({mime_type}, {}) is too large to show; it is saved as {path}", byte_size(bytes))
}

pub fn image_not_saved(place: usize, mime_type: &str, bytes: u64, why: &str) -> String {
    format!("Image {place} ({mime_type}, {}) is too large to show and could not be saved: {why}.", byte_size(bytes))
}

/// Takes the place of a JSON output that would make the details too large.
pub fn json_left_out(bytes: u64) -> String {
    format!("[{} of JSON left out: too large for the result]", counted(bytes, "byte"))
}

pub fn details_left_out(count: u64, what: &str) -> String {
    format!("{} left out of the details: there were too many.", counted(count, what))
}

/// Ends a preview that shows the start.
pub fn more_lines(count: u64) -> String {
    format!("… {} more {}", grouped(count), if count == 1 { "line" } else { "lines" })
}

/// Begins a preview that shows the end.
pub fn earlier_lines(count: u64) -> String {
    format!("… {} earlier {}", grouped(count), if count == 1 { "line" } else { "lines" })
}

/// Ends a level of a tree that is not shown whole.
pub fn more_items(count: u64) -> String {
    format!("… {} more", grouped(count))
}

/// `SIGSEGV` for 11, as the platform numbers them.
pub fn signal_name(number: i32) -> String {
    #[cfg(unix)]
    if let Ok(signal) = nix::sys::signal::Signal::try_from(number) {
        return signal.as_str().to_owned();
    }
    format!("signal {number}")
}

/// What a tool call hears that its cell no longer waits for.
pub const TOOL_CALL_CUT_OFF: &str = "the cell that made this call was stopped or has ended";

/// Why variables are gone after a fault of the package itself.
pub const FAILED_INSIDE: &str = "the call before failed inside, so its kernel was killed";

/// Opens the first result after variables were lost.
pub fn state_was_lost(language: Language, reason: &str) -> String {
    format!("{} variables of earlier cells are gone: {reason}.", language.title())
}

/// Why a run's variables are gone, as the next result tells it.
pub fn loss_reason(outcome: &Outcome, stop: Option<StopCause>) -> String {
    match (stop, outcome) {
        (Some(StopCause::Reset), _) => "the host reset it".into(),
        (Some(StopCause::Disposed), _) => "the host disposed it".into(),
        (Some(_), _) => "the last cell did not end when it was stopped, so its kernel was killed".into(),
        (None, Outcome::KernelExit { signal: Some(signal), .. }) => format!("the kernel was ended by signal {signal}"),
        (None, Outcome::KernelExit { code: Some(code), .. }) => format!("the kernel exited with code {code}"),
        (None, Outcome::KernelExit { reason: Some(reason), .. }) => reason.clone(),
        _ => "the kernel ended".into(),
    }
}

/// A cell ended while tool calls of it were pending.
pub fn pending_tool_calls(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("The cell ended while it was waiting for {}: cancelled.", names.join(", "))
}
