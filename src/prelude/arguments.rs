//! Binding of arguments to signatures, for both languages.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use serde_json::value::RawValue;

use super::path::resolve;
use super::request::{Members, Request};
use super::{HelperContext, HelperError, Outcome, text_of};
use crate::json::repair_surrogates;

/// What a helper takes. Positional arguments fill `names` from the left; `rest` takes all of them.
struct Signature {
    op: &'static str,
    form: &'static str,
    names: &'static [&'static str],
    required: usize,
    rest: bool,
}

const fn signature(op: &'static str, form: &'static str, names: &'static [&'static str], required: usize) -> Signature {
    Signature { op, form, names, required, rest: false }
}

const SIGNATURES: [Signature; 10] = [
    signature("read", "read(path, offset=1, limit)", &["path", "offset", "limit"], 1),
    signature("write", "write(path, data)", &["path", "data"], 2),
    signature("append", "append(path, data)", &["path", "data"], 2),
    signature("sort", "sort(text, reverse=false, unique=false)", &["text", "reverse", "unique"], 1),
    signature("uniq", "uniq(text, count=false)", &["text", "count"], 1),
    signature("counter", "counter(items, limit, reverse=false)", &["items", "limit", "reverse"], 1),
    signature("diff", "diff(a, b)", &["a", "b"], 2),
    signature("tree", "tree(path='.', max_depth=3, show_hidden=false)", &["path", "max_depth", "show_hidden"], 0),
    signature("env", "env(key, value)", &["key", "value"], 0),
    Signature {
        op: "output",
        form: "output(*ids, format='raw', query, offset=1, limit)",
        names: &["format", "query", "offset", "limit"],
        required: 0,
        rest: true,
    },
];

/// The arguments of one call, by name.
pub(super) struct Arguments {
    form: &'static str,
    named: Vec<(&'static str, Box<RawValue>)>,
    pub rest: Vec<Box<RawValue>>,
    pub cwd: PathBuf,
    pub artifacts_dir: Option<String>,
    pub session_file: Option<String>,
}

impl Arguments {
    pub fn bind(op: &str, request: &str, context: &HelperContext) -> Result<Self, HelperError> {
        let Some(signature) = SIGNATURES.iter().find(|signature| signature.op == op) else {
            return Err(HelperError::argument(format!("`{op}` is not a helper")));
        };
        let request: Request = serde_json::from_str(&repair_surrogates(request))
            .map_err(|error| HelperError::argument(format!("{op}: the request is malformed: {error}")))?;
        let Request { cwd, artifacts_dir, session_file, positional, options: Members(options) } = request;
        let mut arguments = Self {
            form: signature.form,
            named: Vec::new(),
            rest: Vec::new(),
            cwd: cwd.map_or_else(|| context.cwd.clone(), |cwd| context.cwd.join(cwd)),
            artifacts_dir,
            session_file,
        };
        arguments
            .fill(signature, positional, options)
            .map_err(|problem| HelperError::argument(format!("{op}: {problem}; expected {}", signature.form)))?;
        Ok(arguments)
    }

    fn fill(
        &mut self,
        signature: &Signature,
        positional: Vec<Box<RawValue>>,
        options: Vec<(String, Box<RawValue>)>,
    ) -> Result<(), String> {
        if signature.rest {
            self.rest = positional;
        } else {
            let (given, most) = (positional.len(), signature.names.len());
            if given > most {
                return Err(format!("{given} arguments given, at most {most} taken"));
            }
            self.named = signature.names.iter().copied().zip(positional).collect();
        }
        for (name, value) in options {
            let Some(known) = signature.names.iter().copied().find(|known| *known == name) else {
                return Err(format!("unknown option `{name}`"));
            };
            if self.named.iter().any(|(taken, _)| *taken == known) {
                return Err(format!("`{name}` is given twice"));
            }
            self.named.push((known, value));
        }
        // Null, None and undefined mean "not given".
        self.named.retain(|(_, value)| value.get() != "null");
        match signature.names[..signature.required]
            .iter()
            .find(|name| !self.named.iter().any(|(given, _)| given == *name))
        {
            Some(missing) => Err(format!("`{missing}` is missing")),
            None => Ok(()),
        }
    }

    /// Takes an argument, as it stands.
    pub fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        let at = self.named.iter().position(|(given, _)| *given == name)?;
        Some(self.named.swap_remove(at).1)
    }

    pub fn wrong(&self, name: &str, what: &str, found: &RawValue) -> HelperError {
        HelperError::argument(format!("`{name}` must be {what}, not {}; expected {}", kind_of(found.get()), self.form))
    }

    pub fn text(&mut self, name: &str) -> Result<Option<String>, HelperError> {
        let Some(raw) = self.take(name) else { return Ok(None) };
        text_of(&raw).map(Some).ok_or_else(|| self.wrong(name, "a string", &raw))
    }

    pub fn required_text(&mut self, name: &str) -> Result<String, HelperError> {
        Ok(self.text(name)?.unwrap_or_default())
    }

    pub fn flag(&mut self, name: &str) -> Result<bool, HelperError> {
        match self.take(name) {
            None => Ok(false),
            Some(raw) => match raw.get() {
                "true" => Ok(true),
                "false" => Ok(false),
                _ => Err(self.wrong(name, "true or false", &raw)),
            },
        }
    }

    /// A whole number of at least `least`.
    pub fn whole(&mut self, name: &str, least: u64) -> Result<Option<u64>, HelperError> {
        let Some(raw) = self.take(name) else { return Ok(None) };
        // A float that is whole (`2.0`) is what Python division gives.
        let value = raw.get().parse::<f64>().ok().filter(|value| value.fract() == 0.0);
        match value {
            // A float beyond u64 saturates, which means "all" as well.
            Some(value) if value >= least as f64 => Ok(Some(value as u64)),
            Some(_) => Err(HelperError::argument(format!(
                "`{name}` must be at least {least}, not {}; expected {}",
                raw.get(),
                self.form
            ))),
            None => Err(self.wrong(name, "a whole number", &raw)),
        }
    }

    /// A path as the cell wrote it, and what it means.
    pub fn path(&mut self, name: &str) -> Result<Option<(String, PathBuf)>, HelperError> {
        let Some(given) = self.text(name)? else { return Ok(None) };
        let path = resolve(&self.cwd, &given)?;
        Ok(Some((given, path)))
    }

    pub fn required_path(&mut self, name: &str) -> Result<(String, PathBuf), HelperError> {
        self.path(name)?.ok_or_else(|| HelperError::argument(format!("`{name}` is missing; expected {}", self.form)))
    }

    /// Text as UTF-8, or bytes, which cross as `{"base64": "…"}`.
    pub fn data(&mut self, name: &str) -> Result<Vec<u8>, HelperError> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Bytes {
            base64: String,
        }
        let Some(raw) = self.take(name) else { return Ok(Vec::new()) };
        if let Some(text) = text_of(&raw) {
            return Ok(text.into_bytes());
        }
        serde_json::from_str::<Bytes>(raw.get())
            .ok()
            .and_then(|bytes| BASE64_STANDARD.decode(bytes.base64).ok())
            .ok_or_else(|| self.wrong(name, "text or bytes", &raw))
    }

    /// `env`: judges the arguments; the shim does the rest, where the variables are.
    pub fn environment(&mut self) -> Result<Outcome, HelperError> {
        let (key, value) = (self.text("key")?, self.text("value")?);
        match (key, value) {
            (None, None) => Outcome::new(&json!({}), json!({ "op": "env", "action": "list" })),
            (None, Some(_)) => Err(HelperError::argument(format!("`key` is missing; expected {}", self.form))),
            (Some(key), _) if key.is_empty() || key.contains(['=', '\0']) => {
                Err(HelperError::argument("`key` must not be empty and must not contain `=` or NUL".to_owned()))
            }
            (Some(key), None) => {
                Outcome::new(&json!({ "key": key }), json!({ "op": "env", "action": "get", "key": key }))
            }
            (Some(_), Some(value)) if value.contains('\0') => {
                Err(HelperError::argument("`value` must not contain NUL".to_owned()))
            }
            (Some(key), Some(value)) => {
                Outcome::new(&json!({ "key": key, "set": value }), json!({ "op": "env", "action": "set", "key": key }))
            }
        }
    }

    pub fn join(&self, path: &str) -> PathBuf {
        Path::new(&self.cwd).join(path)
    }
}

/// What a JSON value is, for a person.
pub(super) fn kind_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}
