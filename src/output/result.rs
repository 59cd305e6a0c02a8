//! The result of a call, in the exact shape the host sees. Nothing here decides anything.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::kernel::contract::State;
use crate::language::Language;

/// JSON text that crosses unread: digit for digit, at any depth, and cheap to share between updates.
#[derive(Clone, Debug)]
pub struct Json(Arc<RawValue>);

impl Json {
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

impl From<Box<RawValue>> for Json {
    fn from(value: Box<RawValue>) -> Self {
        Self(Arc::from(value))
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Json {}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

/// What `execute` resolves to and `onUpdate` receives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalResult {
    /// The one text block, then the images a model can see.
    #[serde(default)]
    pub content: Vec<Content>,
    pub details: EvalToolDetails,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Content {
    Text(TextBlock),
    Image(ImageData),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextBlock {
    pub text: String,
}

/// An image as it stands in `content`; its `type` is the tag of [`Content`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageData {
    /// Base64.
    #[serde(serialize_with = "serialize_shared", deserialize_with = "deserialize_shared")]
    pub data: Arc<str>,
    pub mime_type: String,
}

/// An image as it stands in `details.images`: the same with `type: 'image'`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "image")]
pub struct ImageBlock {
    #[serde(flatten)]
    pub image: ImageData,
}

impl ImageBlock {
    pub fn new(mime_type: impl Into<String>, data: impl Into<Arc<str>>) -> Self {
        Self { image: ImageData { data: data.into(), mime_type: mime_type.into() } }
    }

    /// Whether models can see it: an SVG stays in the details.
    pub fn is_content(&self) -> bool {
        !self.image.mime_type.eq_ignore_ascii_case("image/svg+xml")
    }

    /// Size of the decoded image, in bytes.
    pub fn byte_size(&self) -> usize {
        decoded_size(&self.image.data)
    }
}

/// Bytes that base64 text stands for.
pub(crate) fn decoded_size(base64: &str) -> usize {
    let digits = base64.trim_end_matches('=').len();
    digits / 4 * 3 + (digits % 4).saturating_sub(1)
}

fn serialize_shared<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

fn deserialize_shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(deserializer).map(Arc::from)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalToolDetails {
    pub cells: Vec<CellResult>,
    /// Of the first cell.
    pub language: Language,
    /// Distinct, in first-use order.
    #[serde(default)]
    pub languages: Vec<Language>,
    /// What cells displayed as JSON; place `k - 1` is `display[k]` of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub json_outputs: Vec<Json>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageBlock>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_events: Vec<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// `true` or absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
}

impl EvalToolDetails {
    pub fn new(cells: Vec<CellResult>, language: Language, languages: Vec<Language>) -> Self {
        Self {
            cells,
            language,
            languages,
            json_outputs: Vec::new(),
            images: Vec::new(),
            status_events: Vec::new(),
            notice: None,
            meta: None,
            is_error: false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CellResult {
    pub index: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default)]
    pub code: String,
    pub language: Language,
    pub status: CellStatus,
    /// Trailing white space removed; at most the window's size.
    #[serde(default)]
    pub output: String,
    /// The value of a `returns: 'json'` cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_events: Vec<Json>,
    /// `true` or absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_markdown: bool,
    /// Set exactly when `status` is `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<CellFailure>,
    #[serde(default = "kept")]
    pub state: State,
}

impl CellResult {
    /// A cell that has not run.
    pub fn pending(index: usize, title: Option<String>, code: String, language: Language) -> Self {
        Self {
            index,
            title,
            code,
            language,
            status: CellStatus::Pending,
            output: String::new(),
            value: None,
            duration_ms: None,
            exit_code: None,
            status_events: Vec::new(),
            has_markdown: false,
            failure: None,
            state: State::Kept,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellStatus {
    Pending,
    Running,
    Complete,
    Error,
}

/// Orthogonal: a deadline is not an exception, an abort is not a deadline, a dead kernel is neither.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    Syntax,
    Exception,
    Timeout,
    Abort,
    Stdin,
    Exit,
    KernelExit,
    OutputLimit,
    InvalidOutput,
}

#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CellFailure {
    pub kind: FailureKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default)]
    pub message: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Name of the signal that ended the kernel, e.g. `SIGSEGV`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub bound: Vec<String>,
    #[serde(default)]
    pub not_reached: Vec<String>,
}

/// What of the stream is not shown. `totalBytes - outputBytes` is what was hidden, to the byte: what a limit cut off.
/// Bytes that are shown as U+FFFD are shown; what `plain` takes out or overwrites goes with the character that follows it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    pub direction: Direction,
    pub truncated_by: TruncatedBy,
    pub total_lines: u64,
    pub total_bytes: u64,
    pub output_lines: u64,
    pub output_bytes: u64,
    /// Empty when the stream could not be saved; a notice then says why.
    pub artifact_id: String,
    pub artifact_path: String,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The end is shown.
    Tail,
    /// Start and end are shown.
    Middle,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TruncatedBy {
    Bytes,
    Lines,
    Columns,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn kept() -> State {
    State::Kept
}
