//! From the JSON form of the options to [`Options`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::fields::Fields;
use super::{FilterOption, KernelMode, Options};
use crate::error::EvalError;

const NAMES: &[&str] = &[
    "cwd",
    "sessionId",
    "sessionFile",
    "ownerId",
    "languages",
    "python",
    "js",
    "env",
    "envFilter",
    "tools",
    "callTool",
    "timeouts",
    "output",
    "artifactDir",
    "allocateArtifact",
    "idleTimeoutMs",
    "maxKernels",
    "assertExecutionAllowed",
    "trackExecution",
    "proxyExecutor",
    "onLog",
];

/// Longest duration an option can name: a day more than JavaScript's largest timer would be a mistake, and it keeps sums safe.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Checks `options` (functions stand as `{"$kind": "function"}`). `directory` is what `cwd` falls back to;
/// `variable` looks up the host's environment, for paths with `~` and `$NAME`.
///
/// # Errors
/// `EVAL_INVALID_ARGUMENT`, naming the option, what it must be and what it was.
pub fn parse(
    options: &Value,
    directory: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Options, EvalError> {
    let fields = Fields::new("", options, NAMES)?;
    let cwd = match fields.text("cwd")? {
        Some(path) => directory.join(expand(path, variable)),
        None => directory.to_owned(),
    };
    if !cwd.is_dir() {
        return Err(EvalError::invalid(format!(
            "Option `cwd` names {}, which is not a directory; create it first or name another.",
            cwd.display()
        )));
    }
    // Without `.` and a trailing separator, so that two spellings of one folder are one session.
    let mut parsed = Options::new(cwd.components().collect());
    parsed.session_id = fields.text("sessionId")?.map(str::to_owned);
    parsed.session_file = fields.text("sessionFile")?.map(|path| directory.join(expand(path, variable)));
    parsed.owner_id = fields.text("ownerId")?.map(str::to_owned);
    if let Some(value) = fields.get("languages") {
        let languages = Fields::new("languages", value, &["python", "js"])?;
        parsed.python_enabled = languages.bool("python")?.unwrap_or(true);
        parsed.js_enabled = languages.bool("js")?.unwrap_or(true);
    }
    if let Some(value) = fields.get("python") {
        python(&mut parsed, value, directory, variable)?;
    }
    if let Some(value) = fields.get("js") {
        js(&mut parsed, value)?;
    }
    environment(&mut parsed, &fields)?;
    if let Some(value) = fields.get("timeouts") {
        timeouts(&mut parsed, value)?;
    }
    if let Some(value) = fields.get("output") {
        output(&mut parsed, value)?;
    }
    parsed.artifact_directory = fields.text("artifactDir")?.map(|path| directory.join(expand(path, variable)));
    parsed.host_artifacts = fields.function("allocateArtifact")?;
    if let Some(milliseconds) = fields.whole("idleTimeoutMs", 0)? {
        parsed.idle_timeout = duration(milliseconds);
    }
    if let Some(count) = fields.whole("maxKernels", 0)? {
        parsed.max_kernels = usize::try_from(count).unwrap_or(usize::MAX);
    }
    parsed.dynamic_tools = fields.function("callTool")?;
    for hook in ["assertExecutionAllowed", "trackExecution", "proxyExecutor", "onLog"] {
        fields.function(hook)?;
    }
    tools(&fields)?;
    Ok(parsed)
}

fn python(
    parsed: &mut Options,
    value: &Value,
    directory: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<(), EvalError> {
    let fields = Fields::new("python", value, &["interpreter", "kernelMode", "startupTimeoutMs", "limits"])?;
    parsed.interpreter = fields.text("interpreter")?.map(|path| {
        let expanded = expand(path, variable);
        // A bare name is looked up on PATH, as a shell would.
        if expanded.components().count() == 1 { expanded } else { directory.join(expanded) }
    });
    parsed.kernel_mode = match fields.text("kernelMode")? {
        None | Some("session") => KernelMode::Session,
        Some("per-call") => KernelMode::PerCall,
        Some(other) => return Err(fields.wrong("kernelMode", "'session' or 'per-call'", &Value::from(other))),
    };
    if let Some(milliseconds) = fields.whole("startupTimeoutMs", 1)? {
        parsed.startup_timeout = duration(milliseconds);
    }
    if let Some(value) = fields.get("limits") {
        let limits = Fields::new("python.limits", value, &["cpuSeconds", "addressSpaceBytes"])?;
        parsed.python_limits.cpu_seconds = limits.whole("cpuSeconds", 1)?;
        parsed.python_limits.address_space_bytes = limits.whole("addressSpaceBytes", 1)?;
    }
    Ok(())
}

fn js(parsed: &mut Options, value: &Value) -> Result<(), EvalError> {
    let fields = Fields::new("js", value, &["limits"])?;
    let Some(value) = fields.get("limits") else { return Ok(()) };
    let limits = Fields::new("js.limits", value, &["maxOldGenerationSizeMb", "maxArrayBufferMb"])?;
    if let Some(megabytes) = limits.whole("maxOldGenerationSizeMb", 16)? {
        parsed.js_limits.max_old_generation_size_mb = u32::try_from(megabytes).unwrap_or(u32::MAX);
    }
    if let Some(megabytes) = limits.whole("maxArrayBufferMb", 1)? {
        parsed.js_limits.max_array_buffer_mb = u32::try_from(megabytes).unwrap_or(u32::MAX);
    }
    Ok(())
}

fn environment(parsed: &mut Options, fields: &Fields<'_>) -> Result<(), EvalError> {
    if let Some(value) = fields.get("env") {
        let expected = "an object whose values are strings";
        let map = value.as_object().ok_or_else(|| fields.wrong("env", expected, value))?;
        for (name, value) in map {
            let text = value.as_str().ok_or_else(|| fields.wrong(&format!("env.{name}"), "a string", value))?;
            if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
                return Err(EvalError::invalid(format!(
                    "Option `env` has the variable {name:?}, which no process can be given; remove `=` and NUL from it."
                )));
            }
            parsed.environment.insert(name.clone(), text.to_owned());
        }
    }
    parsed.environment_filter = match fields.get("envFilter") {
        None => FilterOption::Safe,
        Some(Value::String(name)) if name == "safe" => FilterOption::Safe,
        Some(Value::String(name)) if name == "inherit" => FilterOption::Inherit,
        Some(value @ Value::Object(_)) => {
            let filter = Fields::new("envFilter", value, &["allow", "deny"])?;
            FilterOption::Custom { allow: filter.texts("allow")?, deny: filter.texts("deny")? }
        }
        Some(other) => {
            return Err(fields.wrong("envFilter", "'inherit', 'safe' or an object with `allow` and `deny`", other));
        }
    };
    Ok(())
}

fn timeouts(parsed: &mut Options, value: &Value) -> Result<(), EvalError> {
    let fields = Fields::new("timeouts", value, &["defaultMs", "minMs", "maxMs", "pauseOnToolCalls"])?;
    if let Some(milliseconds) = fields.whole("minMs", 1)? {
        parsed.timeouts.min = duration(milliseconds);
    }
    if let Some(milliseconds) = fields.whole("maxMs", 1)? {
        parsed.timeouts.max = duration(milliseconds);
    }
    if parsed.timeouts.min > parsed.timeouts.max {
        return Err(EvalError::invalid(format!(
            "Option `timeouts.minMs` ({}) is over `timeouts.maxMs` ({}); make it smaller or set both.",
            parsed.timeouts.min.as_millis(),
            parsed.timeouts.max.as_millis()
        )));
    }
    if let Some(milliseconds) = fields.whole("defaultMs", 1)? {
        parsed.timeouts.default = duration(milliseconds);
    }
    parsed.timeouts.default = parsed.timeouts.default.clamp(parsed.timeouts.min, parsed.timeouts.max);
    parsed.timeouts.pause_on_tool_calls = fields.bool("pauseOnToolCalls")?.unwrap_or(false);
    Ok(())
}

fn output(parsed: &mut Options, value: &Value) -> Result<(), EvalError> {
    let names = ["maxBytes", "maxLines", "headBytes", "maxColumns", "maxValueBytes", "plain"];
    let fields = Fields::new("output", value, &names)?;
    let size = |name: &str, least: u64| -> Result<Option<usize>, EvalError> {
        Ok(fields.whole(name, least)?.map(|number| usize::try_from(number).unwrap_or(usize::MAX)))
    };
    let output = &mut parsed.output;
    output.max_bytes = size("maxBytes", 1)?.unwrap_or(output.max_bytes);
    output.max_lines = size("maxLines", 1)?.unwrap_or(output.max_lines);
    output.head_bytes = size("headBytes", 0)?.unwrap_or(output.head_bytes).min(output.max_bytes);
    output.max_columns = size("maxColumns", 0)?.unwrap_or(output.max_columns);
    output.max_value_bytes = size("maxValueBytes", 1)?.unwrap_or(output.max_value_bytes);
    output.plain = fields.bool("plain")?.unwrap_or(output.plain);
    Ok(())
}

/// `tools` arrives as a record of names whose values are functions or objects with `execute`.
fn tools(fields: &Fields<'_>) -> Result<(), EvalError> {
    let Some(value) = fields.get("tools") else { return Ok(()) };
    let expected = "a record of functions or tool objects";
    let map = value.as_object().ok_or_else(|| fields.wrong("tools", expected, value))?;
    for (name, tool) in map {
        let kind = tool.get(super::fields::KIND).and_then(Value::as_str);
        if !matches!(kind, Some("function" | "tool")) {
            return Err(fields.wrong(&format!("tools.{name}"), "a function or an object with `execute`", tool));
        }
    }
    Ok(())
}

fn duration(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds).min(LONGEST)
}

/// `~`, `$NAME` and `${NAME}`; a variable that is not set stays as it is written.
fn expand(path: &str, variable: &dyn Fn(&str) -> Option<String>) -> PathBuf {
    let mut text = String::new();
    let mut rest = path;
    if let Some(tail) = path.strip_prefix('~').filter(|tail| tail.is_empty() || tail.starts_with('/'))
        && let Some(home) = variable("HOME")
    {
        text.push_str(&home);
        rest = tail;
    }
    while let Some(start) = rest.find('$') {
        text.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        let (name, length) = match after.strip_prefix('{').and_then(|braced| braced.split_once('}')) {
            Some((name, _)) => (name, name.len() + 3),
            None => {
                let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
                (&after[..end], end + 1)
            }
        };
        match variable(name).filter(|_| !name.is_empty()) {
            Some(value) => text.push_str(&value),
            None => text.push_str(&rest[start..start + length]),
        }
        rest = &rest[start + length..];
    }
    text.push_str(rest);
    PathBuf::from(text)
}
