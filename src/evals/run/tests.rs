use super::super::path::Parent;
use super::*;

/// A case with one file, at `step`, on its way to a passing verdict.
fn run_at(step: Step) -> CaseRun {
    let mut run = CaseRun::new("case".to_owned(), true, 1, Some(Duration::from_secs(1)));
    while run.step() != step {
        let outcome = good(run.step());
        run.advance(outcome);
        assert_ne!(run.step(), Step::Done, "{step:?} is never reached");
    }
    run
}

fn good(step: Step) -> Outcome {
    match step {
        Step::Prepare => Outcome::Prepared { valid: true, disposable: true, cleanable: true },
        Step::Entries => Outcome::Entries(vec![EntryFact { id: Some(0), parent: Parent::Root }]),
        Step::Leaf => Outcome::Leaf(Leaf::Named(Some(0))),
        Step::Observe => Outcome::Observed {
            messages: vec![MessageFact::User, MessageFact::Assistant { calls: Vec::new() }],
            equal: true,
            copied: true,
        },
        Step::Judge => Outcome::Verdict { passed: Some(true), checks: vec![Some(true)] },
        _ => Outcome::Done,
    }
}

/// Ends the run well from where it is: the steps that were still taken, and what the report says.
fn finish(mut run: CaseRun) -> String {
    let mut steps = Vec::new();
    while run.step() != Step::Done {
        steps.push(format!("{:?}", run.step()));
        let outcome = good(run.step());
        run.advance(outcome);
    }
    format!("[{}] {}", steps.join(" "), run.report().sentence())
}

#[test]
fn the_order_of_one_case_is_fixed() {
    let run = CaseRun::new("case".to_owned(), true, 2, None);
    assert_eq!(
        finish(run),
        "[Prepare Prompt Flush Entries Leaf Observe Read Read Judge Dispose Cleanup] passed (1 of 1 check passed)"
    );
}

#[test]
fn of_an_invalid_case_nothing_is_called() {
    let run = CaseRun::new(String::new(), false, 3, None);
    assert_eq!(finish(run), "[] infra_failed: prepare/invalid_case");
}

#[test]
fn a_failing_step_leads_to_dispose_and_cleanup_and_is_named() {
    let steps = [
        Step::Prepare,
        Step::Prompt,
        Step::Flush,
        Step::Entries,
        Step::Leaf,
        Step::Observe,
        Step::Read,
        Step::Judge,
        Step::Dispose,
        Step::Cleanup,
    ];
    let mut table = Vec::new();
    for outcome in [Outcome::Failed, Outcome::TimedOut, Outcome::Abandoned] {
        for step in steps {
            let mut run = run_at(step);
            run.advance(outcome.clone());
            table.push(format!("{step:?} {outcome:?}: {}", finish(run)));
        }
    }
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn what_a_half_valid_prepared_value_offers_is_still_called() {
    for (disposable, cleanable, steps) in
        [(false, false, ""), (true, false, "Dispose"), (false, true, "Cleanup"), (true, true, "Dispose Cleanup")]
    {
        let mut run = run_at(Step::Prepare);
        run.advance(Outcome::Prepared { valid: false, disposable, cleanable });
        assert_eq!(finish(run), format!("[{steps}] infra_failed: prepare/prepare_failed"));
    }
}

#[test]
fn a_missing_leaf_and_a_broken_path_are_protocol_failures() {
    let mut run = run_at(Step::Leaf);
    run.advance(Outcome::Leaf(Leaf::Missing));
    assert_eq!(finish(run), "[Dispose Cleanup] protocol_failed: protocol/missing_active_leaf");
    for leaf in [Some(7), None] {
        let mut run = run_at(Step::Leaf);
        run.advance(Outcome::Leaf(Leaf::Named(leaf)));
        assert_eq!(finish(run), "[Dispose Cleanup] protocol_failed: protocol/invalid_active_path");
    }
}

#[test]
fn the_protocol_comes_before_equality_and_equality_before_the_copy() {
    let observed = |messages: Vec<MessageFact>, equal, copied| Outcome::Observed { messages, equal, copied };
    let fine = || vec![MessageFact::User, MessageFact::Assistant { calls: Vec::new() }];
    let mut run = run_at(Step::Observe);
    run.advance(observed(vec![MessageFact::User], false, false));
    assert_eq!(finish(run), "[Dispose Cleanup] protocol_failed: protocol/incomplete_user_interaction");
    let mut run = run_at(Step::Observe);
    run.advance(observed(fine(), false, false));
    assert_eq!(finish(run), "[Dispose Cleanup] protocol_failed: protocol/result_session_mismatch");
    let mut run = run_at(Step::Observe);
    run.advance(observed(fine(), true, false));
    assert_eq!(run.step(), Step::Read);
    assert_eq!(finish(run), "[Read Dispose Cleanup] infra_failed: collect/collect_failed");
}

#[test]
fn a_rejected_task_and_a_bad_verdict_are_told_apart() {
    for (passed, checks, says) in [
        (Some(false), vec![Some(true), Some(false)], "task_failed: task/task_rejected (1 of 2 checks passed)"),
        (Some(true), vec![Some(false)], "infra_failed: judge/invalid_verdict"),
        (None, vec![], "infra_failed: judge/invalid_verdict"),
    ] {
        let mut run = run_at(Step::Judge);
        run.advance(Outcome::Verdict { passed, checks });
        assert_eq!(finish(run), format!("[Dispose Cleanup] {says}"));
    }
}

#[test]
fn failures_of_dispose_and_cleanup_follow_the_first_one() {
    let mut run = run_at(Step::Read);
    run.advance(Outcome::Failed);
    run.advance(Outcome::Failed);
    run.advance(Outcome::TimedOut);
    assert_eq!(finish(run), "[] infra_failed: collect/collect_failed, dispose/dispose_failed, cleanup/cleanup_failed");
}

#[test]
fn each_phase_has_its_own_budget_and_closing_a_longer_one() {
    let second = Some(Duration::from_secs(1));
    for (step, budget) in [
        (Step::Prepare, second),
        (Step::Prompt, second),
        (Step::Flush, None),
        (Step::Entries, second),
        (Step::Leaf, None),
        (Step::Observe, None),
        (Step::Judge, second),
        (Step::Dispose, Some(limits::EVAL_CLOSE_TIMEOUT)),
        (Step::Cleanup, Some(limits::EVAL_CLOSE_TIMEOUT)),
    ] {
        assert_eq!(run_at(step).budget(), budget, "{step:?}");
    }
    let mut unlimited = CaseRun::new("case".to_owned(), true, 0, None);
    assert_eq!(unlimited.budget(), None);
    unlimited.advance(good(Step::Prepare));
    unlimited.advance(Outcome::Abandoned);
    assert_eq!((unlimited.step(), unlimited.budget()), (Step::Dispose, Some(limits::EVAL_CLOSE_TIMEOUT)));
}
