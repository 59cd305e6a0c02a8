//! Whether the messages on the active path tell a causal story: a user asks, an assistant answers, every tool call has
//! exactly one result of the same tool, before anybody speaks again.

use std::collections::HashMap;

use super::{Code, Symbol};

/// A tool call in an assistant message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CallFact {
    pub id: Symbol,
    pub name: Symbol,
}

/// What the protocol needs to know of one message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum MessageFact {
    System,
    User,
    Assistant {
        calls: Vec<CallFact>,
    },
    ToolResult {
        call: Symbol,
        name: Symbol,
        is_error: bool,
    },
    /// Any other role: part of the transcript, no part of the protocol.
    Other,
}

/// The first violation on the path.
///
/// # Errors
/// A code of the protocol phase; within one message in the order of its calls.
pub fn scan(messages: &[MessageFact]) -> Result<(), Code> {
    let mut scan = Scan::default();
    for message in messages {
        scan.step(message)?;
    }
    scan.end()
}

/// A call that was seen: which tool, and whether its result came.
struct Call {
    name: Symbol,
    answered: bool,
}

#[derive(Default)]
struct Scan {
    calls: HashMap<u32, Call>,
    /// Calls without a result. One without a usable id can never get one.
    open: usize,
    /// There was a user.
    asked: bool,
    /// The newest user has heard an assistant.
    answered: bool,
}

impl Scan {
    fn step(&mut self, message: &MessageFact) -> Result<(), Code> {
        match message {
            MessageFact::System | MessageFact::Other => Ok(()),
            MessageFact::User => self.user(),
            MessageFact::Assistant { calls } => self.assistant(calls),
            MessageFact::ToolResult { call, name, .. } => self.result(*call, *name),
        }
    }

    fn user(&mut self) -> Result<(), Code> {
        self.nothing_open()?;
        if self.asked && !self.answered {
            return Err(Code::IncompleteUserInteraction);
        }
        self.asked = true;
        self.answered = false;
        Ok(())
    }

    fn assistant(&mut self, calls: &[CallFact]) -> Result<(), Code> {
        if !self.asked {
            return Err(if calls.is_empty() { Code::AssistantWithoutUser } else { Code::ToolCallWithoutUser });
        }
        self.nothing_open()?;
        self.answered = true;
        for call in calls {
            self.open += 1;
            if let Some(id) = call.id
                && self.calls.insert(id, Call { name: call.name, answered: false }).is_some()
            {
                return Err(Code::DuplicateToolCall);
            }
        }
        Ok(())
    }

    fn result(&mut self, id: Symbol, name: Symbol) -> Result<(), Code> {
        let call = id.and_then(|id| self.calls.get_mut(&id)).ok_or(Code::OrphanToolResult)?;
        if call.answered {
            return Err(Code::DuplicateToolResult);
        }
        // Two names that are no strings are not the same tool.
        if name.is_none() || call.name != name {
            return Err(Code::ToolNameMismatch);
        }
        call.answered = true;
        self.open -= 1;
        Ok(())
    }

    fn nothing_open(&self) -> Result<(), Code> {
        if self.open == 0 { Ok(()) } else { Err(Code::UnpairedToolCall) }
    }

    fn end(&self) -> Result<(), Code> {
        self.nothing_open()?;
        if !self.asked {
            Err(Code::MissingUserInteraction)
        } else if !self.answered {
            Err(Code::IncompleteUserInteraction)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
