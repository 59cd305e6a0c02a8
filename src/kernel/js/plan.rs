//! From a cell's source to what the worker compiles, and the session's memory of names that this needs.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::transform::{
    Binding, Imported, Marker, Names, Segment, SyntaxFailure, TransformOptions, Transformed, is_line_end,
    original_column, transform, transform_module,
};
use crate::kernel::{Outcome, Returns, RunEnd, RunId, RunRequest, Thrown};
use crate::limits::JS_REMEMBERED_CELLS;

/// What the worker's JavaScript gets to run one cell.
#[derive(Debug)]
pub struct Plan {
    pub main: String,
    /// Bits of [`flag`].
    pub flags: u32,
    /// JSON of everything that most cells do not have; empty when there is none of it.
    pub rest: String,
}

/// The bits of [`Plan::flags`]; the same numbers stand in `runtime/cells.js`.
pub mod flag {
    pub const ASYNC: u32 = 1;
    pub const WRAPPED: u32 = 2;
    pub const HAS_VALUE: u32 = 4;
}

/// One worker's transform state.
#[derive(Default)]
pub struct Plans {
    names: Names,
    platform_names: HashSet<String>,
    tools: Option<(Arc<Vec<String>>, bool)>,
    /// The bindings of the run that was planned last, and the names that it assigns without declaring them.
    planned: Option<(RunId, Vec<Binding>, Vec<String>)>,
    /// Where columns moved, by script name; only scripts where any did, the newest [`JS_REMEMBERED_CELLS`].
    segments: BTreeMap<String, Vec<Segment>>,
    segment_order: std::collections::VecDeque<String>,
    /// The newest cell, as the user wrote it.
    source: String,
}

impl Plans {
    pub fn set_platform_names(&mut self, names: Vec<String>) {
        self.platform_names = names.into_iter().collect();
    }

    /// Plans a run.
    ///
    /// # Errors
    /// The end of a run whose source cannot be parsed; nothing ran and no name was touched.
    pub fn plan(&mut self, request: &RunRequest) -> Result<Plan, Box<RunEnd>> {
        let (names, platform_names) = (&self.names, &self.platform_names);
        let transformed = transform(
            &request.code,
            &TransformOptions {
                cell: &request.cell,
                platform_names: &|name| platform_names.contains(name),
                known: &|name| names.known(name),
            },
        );
        match transformed {
            Ok(transformed) => Ok(self.remember(request, transformed)),
            Err(failure) => Err(Box::new(RunEnd::kept(Outcome::Syntax(thrown(&failure))))),
        }
    }

    fn remember(&mut self, request: &RunRequest, transformed: Transformed) -> Plan {
        let mut rest = serde_json::Map::new();
        if let Some(hoisted) = transformed.hoisted {
            rest.insert("hoisted".into(), hoisted.into());
        }
        if !transformed.imports.is_empty() {
            let imports = transformed.imports.iter().map(|import| {
                let names = import.names.iter().map(|name| {
                    let (how, imported) = match &name.imported {
                        Imported::Default => ("default", Value::Null),
                        Imported::Namespace => ("namespace", Value::Null),
                        Imported::Named(imported) => ("named", imported.as_str().into()),
                    };
                    json!({"how": how, "imported": imported, "local": name.local, "onSession": name.on_session, "optional": name.optional})
                });
                let attributes: serde_json::Map<String, Value> =
                    import.attributes.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
                json!({
                    "specifier": import.specifier, "attributes": attributes, "names": names.collect::<Vec<_>>(),
                    "line": import.line, "column": import.column,
                })
            });
            rest.insert("imports".into(), imports.collect());
        }
        if !transformed.bindings.is_empty() {
            let bindings = transformed.bindings.iter().map(|binding| {
                json!([
                    binding.name,
                    binding.kind.as_str(),
                    binding.kind.has_dead_zone(),
                    binding.on_session,
                    marker(binding.marker)
                ])
            });
            rest.insert("bindings".into(), bindings.collect());
        }
        if !transformed.assigned.is_empty() {
            let assigned = transformed.assigned.iter().map(|one| json!([one.name, one.on_session, marker(one.marker)]));
            rest.insert("assigned".into(), assigned.collect());
        }
        if let Returns::Json { max_bytes } = request.returns {
            rest.insert("maxBytes".into(), max_bytes.into());
        }
        let tools = (request.tools.clone(), request.open_tools);
        if self.tools.as_ref() != Some(&tools) {
            rest.insert("tools".into(), json!({"names": *tools.0, "open": tools.1}));
            self.tools = Some(tools);
        }
        let mut flags = 0;
        for (bit, set) in [
            (flag::ASYNC, transformed.is_async),
            (flag::WRAPPED, transformed.wrapped),
            (flag::HAS_VALUE, transformed.has_value),
        ] {
            flags |= if set { bit } else { 0 };
        }
        self.keep_segments(request.cell.clone(), transformed.main_segments);
        self.keep_segments(format!("{}#functions", request.cell), transformed.hoisted_segments);
        self.source.clone_from(&request.code);
        let assigned = transformed.assigned.into_iter().map(|one| one.name).collect();
        self.planned = Some((request.run, transformed.bindings, assigned));
        let rest = if rest.is_empty() { String::new() } else { Value::Object(rest).to_string() };
        Plan { main: transformed.main, flags, rest }
    }

    /// A line of the newest cell, from 1.
    pub fn source_line(&self, line: u32) -> Option<String> {
        let lines = self.source.replace("\r\n", "\n");
        lines.split(is_line_end).nth(line.checked_sub(1)? as usize).map(str::to_owned)
    }

    fn keep_segments(&mut self, script: String, segments: Vec<Segment>) {
        if segments.is_empty() {
            return;
        }
        self.segments.insert(script.clone(), segments);
        self.segment_order.push_back(script);
        if self.segment_order.len() > JS_REMEMBERED_CELLS
            && let Some(oldest) = self.segment_order.pop_front()
        {
            self.segments.remove(&oldest);
        }
    }

    /// Where the user wrote what stands at `line:column` of a compiled script.
    pub fn original_column(&self, script: &str, line: u32, column: u32) -> u32 {
        self.segments.get(script).map_or(column, |segments| original_column(segments, line, column))
    }

    /// Every name that the run would have set, while it has not been recorded.
    pub fn planned_names(&self, run: RunId) -> Vec<String> {
        let planned = self.planned.iter().filter(|(planned, ..)| *planned == run);
        planned
            .flat_map(|(_, bindings, assigned)| bindings.iter().map(|binding| &binding.name).chain(assigned))
            .cloned()
            .collect()
    }

    /// The run has ended: what it bound is known from now on. `bound` is `None` when it ended well.
    pub fn record(&mut self, run: RunId, bound: Option<&[String]>) {
        if bound.is_some() {
            // A stop can come before the worker has read anything of its run: the tools are told again.
            self.tools = None;
        }
        if let Some((_, bindings, _)) = self.planned.take_if(|(planned, ..)| *planned == run)
            && !bindings.is_empty()
        {
            self.names.record(&bindings, &|name| bound.is_none_or(|bound| bound.iter().any(|one| one == name)));
        }
    }

    /// The user's names, with whether they live on the session object.
    pub fn user_names(&self) -> Vec<(String, bool)> {
        self.names.iter().map(|(name, known)| (name.to_string(), known.on_session)).collect()
    }
}

/// A TypeScript file loaded by path.
///
/// # Errors
/// The message as a person reads it, with line, column and caret.
pub fn module_source(source: &str, name: &str) -> Result<String, String> {
    transform_module(source, name).map_err(|failure| failure.to_string())
}

fn marker(marker: Marker) -> Value {
    match marker {
        Marker::Start => "start".into(),
        Marker::After(at) => at.into(),
        Marker::End => "end".into(),
        Marker::Unknown => "unknown".into(),
    }
}

fn thrown(failure: &SyntaxFailure) -> Thrown {
    Thrown {
        name: Some("SyntaxError".into()),
        message: failure.message.clone(),
        traceback: failure.to_string(),
        line: Some(failure.line),
        column: Some(failure.column),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn rest(plans: &mut Plans, run: RunId) -> String {
        let request = RunRequest {
            run,
            cell: format!("cell-{run}"),
            code: "1".into(),
            returns: Returns::Shown,
            tools: Arc::new(vec!["read".into()]),
            open_tools: false,
        };
        plans.plan(&request).map(|plan| plan.rest).unwrap_or_default()
    }

    #[test]
    fn the_tools_are_told_once_and_again_after_a_run_that_may_not_have_read_them() {
        let mut plans = Plans::default();
        assert!(rest(&mut plans, 1).contains("read"));
        plans.record(1, Some(&[]));
        assert!(rest(&mut plans, 2).contains("read"));
        plans.record(2, None);
        assert_eq!(rest(&mut plans, 3), "");
    }

    #[test]
    fn the_names_of_a_run_are_known_until_it_is_recorded() {
        let mut plans = Plans::default();
        let request = RunRequest {
            run: 1,
            cell: "cell-1".into(),
            code: "let a = 1; function f() {} b = 2; for (;;);".into(),
            returns: Returns::Shown,
            tools: Arc::default(),
            open_tools: false,
        };
        plans.plan(&request).expect("a plan");
        let mut names = plans.planned_names(1);
        names.sort();
        assert_eq!(names, ["a", "b", "f"]);
        assert_eq!(plans.planned_names(2), [""; 0]);
        plans.record(1, Some(&[]));
        assert_eq!(plans.planned_names(1), [""; 0]);
    }

    #[test]
    fn the_newest_cell_is_kept_line_by_line() {
        let plans = Plans { source: "a\r\nb\u{2028}c".into(), ..Plans::default() };
        assert_eq!(plans.source_line(3).as_deref(), Some("c"));
        assert_eq!((plans.source_line(4), plans.source_line(0)), (None, None));
    }
}
