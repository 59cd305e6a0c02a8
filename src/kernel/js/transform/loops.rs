//! Loops: a place in every round where V8 looks for interrupts.
//!
//! At the end of a round V8 looks only when a budget of bytecode has run out. Around a slow function of C++ that is
//! seconds, and code of its middle tier may never look. It always looks when a function of JavaScript is entered, so each
//! round enters one. Optimized code pays nothing for it: its last tier looks in every round by itself.

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::names::emitted;
use super::rewrite::{Mode, Rewriter};

/// What is to be closed behind a loop's body.
#[must_use]
pub(super) struct Closing(Option<u32>);

impl Rewriter<'_> {
    /// Before the walk through a loop.
    pub(super) fn loop_start(&mut self, body: &Statement<'_>) -> Closing {
        if self.mode != Mode::Cell {
            return Closing(None);
        }
        let span = body.span();
        if matches!(body, Statement::BlockStatement(_)) {
            self.edits.insert(span.start + 1, emitted::TICK_CALL);
            return Closing(None);
        }
        self.edits.insert(span.start, emitted::TICK_OPEN);
        Closing(Some(span.end))
    }

    /// After it.
    pub(super) fn loop_end(&mut self, closing: Closing) {
        if let Closing(Some(end)) = closing {
            self.edits.insert_after(end, emitted::TICK_CLOSE);
        }
    }
}
