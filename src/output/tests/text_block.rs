//! The text block, word for word. One snapshot shows every form; read it as a reader of results would.

use super::*;
use crate::kernel::contract::{State, Thrown, WaitingFor};

fn thrown() -> Thrown {
    Thrown {
        name: Some("ValueError".into()),
        message: "bad".into(),
        traceback: "Traceback (most recent call last):\n  Cell cell-1, line 2, in <module>\n    f()\nValueError: bad"
            .into(),
        line: Some(2),
        column: None,
    }
}

fn exception() -> RunEnd {
    RunEnd { not_reached: vec!["body".into(), "total".into()], ..RunEnd::kept(Outcome::Exception(thrown())) }
}

fn stopped(stop: StopCause, waiting_for: WaitingFor, state: State) -> CellFacts {
    let end = RunEnd { waiting_for: Some(waiting_for), state, ..RunEnd::kept(Outcome::Stopped) };
    CellFacts { end: Some(CellEnd::new(end, Some(stop), Duration::from_millis(1200))), ..complete(None) }
}

fn died(signal: Option<i32>, code: Option<i32>, reason: Option<&str>, output_may_be_incomplete: bool) -> CellFacts {
    let reason = reason.map(str::to_owned);
    facts(None, RunEnd::lost(Outcome::KernelExit { signal, code, reason, output_may_be_incomplete }))
}

/// The text of a call whose cells print this.
fn text(cells: &[CellFacts], prints: &[&str], call: &CallFacts) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = output(OutputLimits::default(), folder.path());
    for (index, print) in prints.iter().enumerate() {
        output.begin_cell(index);
        output.write(print.as_bytes());
        if let Some(CellEnd { stop: None, outcome, .. }) = &cells[index].end {
            output.outcome(outcome);
        }
        output.end_cell();
    }
    finish(&output, cells, call).1
}

fn one(cell: CellFacts, print: &str) -> String {
    text(&[cell], &[print], &CallFacts::default())
}

fn second_of_three(cell: CellFacts, print: &str) -> String {
    let cells = [complete(Some("load")), cell, CellFacts::pending(Language::Python, Some("report".into()))];
    text(&cells, &["loaded\n", print], &CallFacts::default())
}

fn with(cell: CellFacts, change: impl FnOnce(&mut CellFacts)) -> CellFacts {
    let mut cell = cell;
    change(&mut cell);
    cell
}

#[test]
fn every_form_of_the_text_block() {
    let ok = || complete(None);
    let images = |count| with(ok(), |cell| (cell.images, cell.rich) = (count, true));
    let exit = |code, message: Option<&str>| {
        facts(None, RunEnd::kept(Outcome::Exit { code, message: message.map(str::to_owned) }))
    };
    let syntax = || facts(None, RunEnd::kept(Outcome::Syntax(thrown())));
    let timeout = StopCause::Timeout(Duration::from_secs(1));
    let tools = || WaitingFor::Tools(vec!["read".into()]);
    let call = |notices: &[&str]| CallFacts {
        notices: notices.iter().map(|notice| (*notice).into()).collect(),
        ..CallFacts::default()
    };
    let invalid = || {
        let (place, problem) = ("rows[3].id".into(), "NaN".into());
        facts(None, RunEnd::kept(Outcome::InvalidOutput { place, problem }))
    };
    let limit = || facts(None, RunEnd::kept(Outcome::OutputLimit { bytes: 40_000, limit: 32_768 }));
    let two =
        |first: CellFacts, second: CellFacts, prints: &[&str]| text(&[first, second], prints, &CallFacts::default());
    let forms: Vec<(&str, String)> = vec![
        ("one cell: its output", one(ok(), "hello\n\n")),
        ("nothing at all", one(ok(), "")),
        ("white space alone", one(ok(), " \n\n")),
        ("one image", one(images(1), "")),
        ("two images", one(images(2), "")),
        ("images and text", one(images(2), "see\n")),
        ("a value and no text", one(with(ok(), |cell| cell.rich = true), "")),
        ("several", two(complete(Some("load")), complete(Some("report")), &["1\n", "2"])),
        ("several, without titles or output", two(ok(), complete(Some("quiet")), &["1\n", ""])),
        ("several, images only", two(with(images(1), |cell| cell.title = Some("plot".into())), images(3), &["", ""])),
        ("exception, one cell", one(facts(None, exception()), "before\n")),
        (
            "exception, second of three",
            second_of_three(with(facts(None, exception()), |cell| cell.title = Some("sum".into())), ""),
        ),
        (
            "exception, first of two",
            text(&[facts(None, exception()), CellFacts::pending(Language::Js, None)], &["x"], &CallFacts::default()),
        ),
        ("syntax error", one(syntax(), "")),
        ("timeout, running code", one(stopped(timeout, WaitingFor::Code, State::Kept), "step 1 ok\n")),
        ("timeout, a plain await, state lost", one(stopped(timeout, WaitingFor::Await, State::Lost), "")),
        ("timeout, second of three", second_of_three(stopped(timeout, tools(), State::Kept), "step 1 ok\n")),
        ("abort, one cell", one(stopped(StopCause::Abort, tools(), State::Kept), "so far")),
        (
            "abort, second of three, state lost",
            second_of_three(stopped(StopCause::Abort, WaitingFor::Code, State::Lost), "so far"),
        ),
        ("interrupt", one(stopped(StopCause::Interrupt, WaitingFor::Code, State::Kept), "")),
        ("reset", one(stopped(StopCause::Reset, WaitingFor::Code, State::Kept), "")),
        ("dispose", one(stopped(StopCause::Disposed, WaitingFor::Code, State::Kept), "")),
        (
            "aborted while queued",
            text(
                &[CellFacts::pending(Language::Js, None)],
                &[],
                &CallFacts { never_started: Some(StopCause::Abort), ..CallFacts::default() },
            ),
        ),
        ("kernel died of a signal", one(died(Some(11), None, None, false), "so far")),
        ("kernel ended itself, in the middle of a burst", one(died(None, Some(4), None, true), "so far")),
        ("kernel died, second of three", second_of_three(died(Some(9), None, None, false), "")),
        ("JavaScript heap", one(died(None, None, Some("JavaScript heap out of memory"), false), "")),
        ("exit with a code", one(exit(3, None), "a\n")),
        ("exit with a text", one(exit(1, Some("bye")), "b\n")),
        ("exit with zero", one(exit(0, None), "c\n")),
        ("exit, second of three", second_of_three(exit(3, None), "a\n")),
        ("invalid output", one(invalid(), "")),
        ("output limit", one(limit(), "printed\n")),
        ("output limit, second of three", second_of_three(limit(), "")),
        (
            "notices",
            text(
                &[with(ok(), |cell| {
                    cell.notices = vec!["Tool call `slow` was cancelled: the cell ended first.".into()]
                })],
                &["x\n"],
                &call(&["Python is not available; JavaScript ran."]),
            ),
        ),
        (
            "notices of one of several",
            two(
                with(ok(), |cell| cell.notices = vec!["Tool call `slow` was cancelled: the cell ended first.".into()]),
                ok(),
                &["1", "2"],
            ),
        ),
        ("cut-off input", text(&[ok()], &["x\n"], &CallFacts { input_aborted: true, ..call(&[]) })),
        ("cut-off input, nothing ran", text(&[], &[], &CallFacts { input_aborted: true, ..call(&[]) })),
    ];
    let page: Vec<String> = forms.into_iter().map(|(title, text)| format!("──── {title}\n{text}\n")).collect();
    insta::assert_snapshot!("text_block", page.join("\n"));
}

#[test]
fn a_failure_says_what_kind_it_is_and_an_exit_code_only_where_there_is_one() {
    let timeout = stopped(StopCause::Timeout(Duration::from_secs(1)), WaitingFor::Code, State::Kept);
    let table = [
        (complete(None), None, Some(0)),
        (facts(None, exception()), Some(FailureKind::Exception), Some(1)),
        (timeout, Some(FailureKind::Timeout), None),
        (stopped(StopCause::Interrupt, WaitingFor::Code, State::Kept), Some(FailureKind::Abort), None),
        (stopped(StopCause::Disposed, WaitingFor::Code, State::Kept), Some(FailureKind::Abort), None),
        (died(Some(11), None, None, false), Some(FailureKind::KernelExit), None),
        (facts(None, RunEnd::kept(Outcome::Exit { code: 3, message: None })), Some(FailureKind::Exit), Some(3)),
        (facts(None, RunEnd::kept(Outcome::Exit { code: 0, message: None })), None, Some(0)),
        (
            facts(None, RunEnd::kept(Outcome::OutputLimit { bytes: 2, limit: 1 })),
            Some(FailureKind::OutputLimit),
            Some(1),
        ),
    ];
    for (cell, kind, exit_code) in table {
        let end = cell.end.unwrap();
        assert_eq!((end.kind(), end.exit_code()), (kind, exit_code), "{end:?}");
        assert_eq!(end.failure().map(|failure| failure.kind), kind);
        assert_eq!(end.status() == CellStatus::Error, kind.is_some(), "a failure is set exactly when status is error");
    }
}

#[test]
fn a_stop_that_came_first_wins_over_how_the_kernel_ended() {
    let killed = Outcome::KernelExit { signal: Some(9), code: None, reason: None, output_may_be_incomplete: true };
    let end =
        CellEnd::new(RunEnd::lost(killed), Some(StopCause::Timeout(Duration::from_secs(1))), Duration::from_secs(3));
    let failure = end.failure().unwrap();
    assert_eq!((failure.kind, failure.signal), (FailureKind::Timeout, None));
    assert_eq!(end.state, State::Lost);
    assert!(messages::stopped(&end, None).ends_with("lost). Output may be incomplete."));
}

#[test]
fn a_traceback_that_the_kernel_wrote_is_not_written_twice() {
    for limits in [OutputLimits::default(), OutputLimits { plain: true, max_columns: 10, ..OutputLimits::default() }] {
        let folder = tempfile::tempdir().unwrap();
        let output = output(limits, folder.path());
        output.begin_cell(0);
        output.write(format!("x\n{}\n", thrown().traceback).as_bytes());
        output.outcome(&Outcome::Exception(thrown()));
        assert_eq!(output.end_cell().text.matches("ValueErro").count(), 1);
        output.begin_cell(1);
        output.outcome(&Outcome::Exception(thrown()));
        assert_eq!(output.end_cell().text.matches("ValueErro").count(), 1, "each cell has its own");
    }
}
