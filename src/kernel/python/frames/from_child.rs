//! From the child to the host.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::kernel::VariableInfo;

/// Frames by their `type`, once: the enum, the reader and the list for tests cannot differ.
macro_rules! from_child {
    ($($kind:literal => $variant:ident($body:ty)),* $(,)?) => {
        /// Child to host.
        #[derive(Debug)]
        pub enum FromChild {
            $($variant($body)),*
        }

        /// Every `type` that a child can send.
        pub const FROM_CHILD: &[&str] = &[$($kind),*];

        fn of_kind(kind: &str, text: &str) -> Result<FromChild, String> {
            match kind {
                $($kind => body(text).map(FromChild::$variant),)*
                _ => Err("unknown type".into()),
            }
        }
    };
}

from_child! {
    "boot-ack" => BootAck(BootAck),
    "started" => Started(Started),
    "display" => Display(Shown),
    "status" => Status(Status),
    "call" => Call(Call),
    "result" => Result(Value),
    "error" => Error(Error),
    "done" => Done(Done),
    "variables" => Variables(Variables),
    "burst" => Burst(Burst),
}

#[derive(Debug, Deserialize)]
pub struct BootAck {
    pub version: String,
    pub executable: String,
}

#[derive(Debug, Deserialize)]
pub struct Started {
    pub run: u64,
    /// Set when threads or tasks of earlier cells may have printed just before.
    pub place: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub struct Shown {
    pub run: u64,
    pub form: Form,
    /// For `text`, `markdown` and `html`.
    pub text: Option<String>,
    /// For `json`.
    pub value: Option<Box<RawValue>>,
    /// For `image`.
    pub mime_type: Option<String>,
    /// For `image`: base64.
    pub data: Option<String>,
    /// So many characters of the text were left out, because it was over its cap. What the reader is told is the host's.
    pub cut: Option<u64>,
    pub place: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    Text,
    Markdown,
    Html,
    Json,
    Image,
}

#[derive(Debug, Deserialize)]
pub struct Status {
    pub run: u64,
    pub event: Box<RawValue>,
    pub place: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub struct Call {
    pub id: u64,
    pub run: u64,
    pub scope: Scope,
    pub name: String,
    pub args: Box<RawValue>,
    pub place: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// A tool of the host.
    Tool,
    /// A helper of the prelude.
    Helper,
}

#[derive(Debug, Deserialize)]
pub struct Value {
    pub run: u64,
    pub value: Box<RawValue>,
}

#[derive(Debug, Deserialize)]
pub struct Error {
    pub run: u64,
    pub name: String,
    pub message: String,
    pub traceback: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub struct Done {
    pub run: u64,
    pub outcome: Ending,
    #[serde(default)]
    pub bound: Vec<String>,
    #[serde(default)]
    pub not_reached: Vec<String>,
    #[serde(default)]
    pub notices: Vec<String>,
    /// For `stopped`: what the cell was doing.
    pub waiting: Option<Waiting>,
    /// For `exit`.
    pub code: Option<i32>,
    /// For `exit`: text that was printed instead of a number.
    pub message: Option<String>,
    /// For `invalid-output`.
    pub place: Option<String>,
    /// For `invalid-output`.
    pub problem: Option<String>,
    /// For `output-limit`.
    pub bytes: Option<usize>,
    /// For `output-limit`.
    pub limit: Option<usize>,
    /// The last of the output: the shown value, which needs no way of its own.
    pub text: Option<String>,
    /// No thread or task goes on that could print: the next run starts when it is sent, and no `started` will say so.
    #[serde(default)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    Complete,
    Syntax,
    Exception,
    Stdin,
    Exit,
    Stopped,
    InvalidOutput,
    OutputLimit,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Waiting {
    Code,
    Await,
}

#[derive(Debug, Deserialize)]
pub struct Variables {
    pub id: u64,
    pub items: Vec<Variable>,
}

#[derive(Debug, Deserialize)]
pub struct Variable {
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
    pub repr: String,
    pub size: Option<u64>,
}

impl From<Variable> for VariableInfo {
    fn from(row: Variable) -> Self {
        Self { name: row.name, type_name: row.type_name, repr: row.repr, size: row.size }
    }
}

#[derive(Debug, Deserialize)]
pub struct Burst {
    pub on: bool,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: std::borrow::Cow<'a, str>,
}

/// Reads one line without its end. The error says what does not fit; it never quotes the line.
pub fn read(line: &[u8]) -> Result<FromChild, String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8 at byte {}", error.valid_up_to()))?;
    // Where it stands first, as in every frame of our runner, nothing has to be read twice for it.
    if let Some((kind, rest)) = text.strip_prefix(r#"{"type":""#).and_then(|rest| rest.split_once('"'))
        && rest.starts_with([',', '}'])
        && !kind.contains('\\')
    {
        return of_kind(kind, text);
    }
    let head: Head<'_> = serde_json::from_str(text).map_err(|error| format!("no frame: {error}"))?;
    of_kind(&head.kind, text)
}

/// The place of a frame that [`read`] refused, when it has one.
pub fn place_of(line: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Placed {
        place: u64,
    }
    serde_json::from_slice::<Placed>(line).ok().map(|placed| placed.place)
}

fn body<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}
