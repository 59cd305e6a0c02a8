//! The two languages a cell can be written in.

use serde::{Deserialize, Serialize};

/// A cell's language. TypeScript is [`Language::Js`]: its types are blanked before the cell runs.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Python,
    Js,
}

impl Language {
    /// Every language name that headers, fences and the `language` field accept, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "py" | "python" | "ipy" | "ipython" => Some(Self::Python),
            "js" | "javascript" | "ts" | "typescript" => Some(Self::Js),
            _ => None,
        }
    }

    /// The name used in results, options and session keys.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Js => "js",
        }
    }

    /// The name used in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Js => "JavaScript",
        }
    }
}
