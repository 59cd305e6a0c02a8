use super::*;

const A: u32 = 1;
const B: u32 = 2;
const WRITE: u32 = 10;
const READ: u32 = 11;

fn user() -> MessageFact {
    MessageFact::User
}

fn says() -> MessageFact {
    MessageFact::Assistant { calls: Vec::new() }
}

fn calls(calls: &[(u32, u32)]) -> MessageFact {
    let calls = calls.iter().map(|&(id, name)| CallFact { id: Some(id), name: Some(name) }).collect();
    MessageFact::Assistant { calls }
}

fn result(call: u32, name: u32) -> MessageFact {
    MessageFact::ToolResult { call: Some(call), name: Some(name), is_error: false }
}

#[test]
fn a_causal_story_is_accepted() {
    let stories = [
        vec![user(), says()],
        vec![user(), calls(&[(A, WRITE)]), result(A, WRITE), says()],
        vec![user(), calls(&[(A, WRITE), (B, READ)]), result(B, READ), result(A, WRITE), says()],
        vec![user(), calls(&[(A, WRITE)]), result(A, WRITE)],
        vec![user(), says(), says(), user(), says()],
        vec![MessageFact::Other, user(), MessageFact::Other, says(), MessageFact::Other],
    ];
    for story in stories {
        assert_eq!(scan(&story), Ok(()), "{story:?}");
    }
}

#[test]
fn each_break_of_the_protocol_has_its_code() {
    let no_id = MessageFact::Assistant { calls: vec![CallFact { id: None, name: Some(WRITE) }] };
    let no_name = MessageFact::Assistant { calls: vec![CallFact { id: Some(A), name: None }] };
    let nameless = MessageFact::ToolResult { call: Some(A), name: None, is_error: false };
    let anonymous = MessageFact::ToolResult { call: None, name: Some(WRITE), is_error: false };
    let breaks = [
        (vec![], Code::MissingUserInteraction),
        (vec![MessageFact::System, MessageFact::Other], Code::MissingUserInteraction),
        (vec![user()], Code::IncompleteUserInteraction),
        (vec![user(), user(), says()], Code::IncompleteUserInteraction),
        (vec![user(), says(), user()], Code::IncompleteUserInteraction),
        (vec![says(), user(), says()], Code::AssistantWithoutUser),
        (vec![calls(&[(A, WRITE)]), result(A, WRITE)], Code::ToolCallWithoutUser),
        (vec![user(), calls(&[(A, WRITE), (A, WRITE)]), result(A, WRITE)], Code::DuplicateToolCall),
        (
            vec![user(), calls(&[(A, WRITE)]), result(A, WRITE), says(), user(), calls(&[(A, READ)])],
            Code::DuplicateToolCall,
        ),
        (vec![result(A, WRITE), user(), says()], Code::OrphanToolResult),
        (vec![user(), says(), result(A, WRITE)], Code::OrphanToolResult),
        (vec![user(), result(A, WRITE), calls(&[(A, WRITE)])], Code::OrphanToolResult),
        (vec![user(), calls(&[(A, WRITE)]), anonymous], Code::OrphanToolResult),
        (vec![user(), calls(&[(A, WRITE)]), result(A, WRITE), result(A, WRITE)], Code::DuplicateToolResult),
        (vec![user(), calls(&[(A, WRITE)]), result(A, WRITE), result(A, READ)], Code::DuplicateToolResult),
        (vec![user(), calls(&[(A, WRITE)]), result(A, READ)], Code::ToolNameMismatch),
        (vec![user(), no_name, nameless], Code::ToolNameMismatch),
        (vec![user(), calls(&[(A, WRITE)])], Code::UnpairedToolCall),
        (vec![user(), calls(&[(A, WRITE)]), says(), result(A, WRITE)], Code::UnpairedToolCall),
        (vec![user(), calls(&[(A, WRITE)]), user(), result(A, WRITE), says()], Code::UnpairedToolCall),
        (vec![user(), calls(&[(A, WRITE), (B, READ)]), result(A, WRITE), says()], Code::UnpairedToolCall),
        (vec![user(), no_id, says()], Code::UnpairedToolCall),
    ];
    for (story, code) in breaks {
        assert_eq!(scan(&story), Err(code), "{story:?}");
    }
}

#[test]
fn the_first_violation_on_the_path_counts() {
    let story = [user(), calls(&[(A, WRITE)]), result(B, WRITE), result(A, READ), user()];
    assert_eq!(scan(&story), Err(Code::OrphanToolResult));
}

#[test]
fn system_messages_are_allowed_anywhere_and_never_pair() {
    let system = || MessageFact::System;
    let story =
        [system(), user(), system(), calls(&[(A, WRITE)]), system(), result(A, WRITE), system(), says(), system()];
    assert_eq!(scan(&story), Ok(()));
    assert_eq!(scan(&[user(), system()]), Err(Code::IncompleteUserInteraction));
}
