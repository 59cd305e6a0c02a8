//! The two languages a cell can be written in.

use serde::{Deserialize, Serialize};

/// A cell's language. TypeScript is [`Language::Js`]: its types are blanked before the cell runs.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Python,
    Js,
}

/// Every spelling, in lower case.
const NAMES: [(&str, Language); 8] = [
    ("py", Language::Python),
    ("python", Language::Python),
    ("ipy", Language::Python),
    ("ipython", Language::Python),
    ("js", Language::Js),
    ("javascript", Language::Js),
    ("ts", Language::Js),
    ("typescript", Language::Js),
];

impl Language {
    /// Every language name that headers, fences and the `language` field accept, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, language)| *language)
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
