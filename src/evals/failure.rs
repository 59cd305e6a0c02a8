//! The fixed names of what can go wrong. A report has no other words.

use std::fmt;

macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident => $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum $name { $($(#[$variant_meta])* $variant,)* }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

names! {
    /// How a case ended.
    Status {
        Passed => "passed",
        /// Everything worked, and the judge said no.
        TaskFailed => "task_failed",
        /// What the agent recorded cannot be trusted; the judge was not asked.
        ProtocolFailed => "protocol_failed",
        /// The case, the agent's runtime or the judge broke: says nothing about the task.
        InfraFailed => "infra_failed",
    }
}

names! {
    /// The part of the fixed order that failed.
    Phase {
        Prepare => "prepare",
        Execute => "execute",
        Collect => "collect",
        Protocol => "protocol",
        Judge => "judge",
        Task => "task",
        Dispose => "dispose",
        Cleanup => "cleanup",
    }
}

names! {
    /// What failed in it.
    Code {
        InvalidCase => "invalid_case",
        PrepareFailed => "prepare_failed",
        ExecuteFailed => "execute_failed",
        ExecuteTimeout => "execute_timeout",
        CollectFailed => "collect_failed",
        MissingActiveLeaf => "missing_active_leaf",
        InvalidActivePath => "invalid_active_path",
        MissingUserInteraction => "missing_user_interaction",
        IncompleteUserInteraction => "incomplete_user_interaction",
        AssistantWithoutUser => "assistant_without_user",
        ToolCallWithoutUser => "tool_call_without_user",
        DuplicateToolCall => "duplicate_tool_call",
        OrphanToolResult => "orphan_tool_result",
        DuplicateToolResult => "duplicate_tool_result",
        ToolNameMismatch => "tool_name_mismatch",
        UnpairedToolCall => "unpaired_tool_call",
        ResultSessionMismatch => "result_session_mismatch",
        JudgeFailed => "judge_failed",
        InvalidVerdict => "invalid_verdict",
        TaskRejected => "task_rejected",
        DisposeFailed => "dispose_failed",
        CleanupFailed => "cleanup_failed",
    }
}

impl Code {
    /// The phase this code belongs to: each has exactly one.
    pub fn phase(self) -> Phase {
        match self {
            Self::InvalidCase | Self::PrepareFailed => Phase::Prepare,
            Self::ExecuteFailed | Self::ExecuteTimeout => Phase::Execute,
            Self::CollectFailed => Phase::Collect,
            Self::MissingActiveLeaf
            | Self::InvalidActivePath
            | Self::MissingUserInteraction
            | Self::IncompleteUserInteraction
            | Self::AssistantWithoutUser
            | Self::ToolCallWithoutUser
            | Self::DuplicateToolCall
            | Self::OrphanToolResult
            | Self::DuplicateToolResult
            | Self::ToolNameMismatch
            | Self::UnpairedToolCall
            | Self::ResultSessionMismatch => Phase::Protocol,
            Self::JudgeFailed | Self::InvalidVerdict => Phase::Judge,
            Self::TaskRejected => Phase::Task,
            Self::DisposeFailed => Phase::Dispose,
            Self::CleanupFailed => Phase::Cleanup,
        }
    }

    /// The status of a case whose first failure this is.
    pub fn status(self) -> Status {
        match self.phase() {
            Phase::Protocol => Status::ProtocolFailed,
            Phase::Task => Status::TaskFailed,
            _ => Status::InfraFailed,
        }
    }
}

/// One failure: a phase and a code, nothing else. The phase follows from the code.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Failure {
    pub code: Code,
}

impl Failure {
    pub fn phase(self) -> Phase {
        self.code.phase()
    }
}

impl From<Code> for Failure {
    fn from(code: Code) -> Self {
        Self { code }
    }
}

/// `phase/code`, as documentation and reporters write it.
impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.phase(), self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_phase_and_one_status() {
        let table: Vec<String> =
            Code::ALL.iter().map(|&code| format!("{:<16} {}", code.status().as_str(), Failure::from(code))).collect();
        insta::assert_snapshot!(table.join("\n"));
    }

    #[test]
    fn names_are_read_back() {
        for &code in Code::ALL {
            assert_eq!(Code::from_name(code.as_str()), Some(code));
        }
        assert_eq!(Status::from_name("passed"), Some(Status::Passed));
        assert_eq!(Phase::from_name("nonsense"), None);
    }
}
