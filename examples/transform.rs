//! Shows what becomes of a cell: reads source on stdin, prints the transform's result as JSON.
//!
//! `echo 'const {a} = await f(); a' | cargo run --example transform`
//!
//! With `--serve`, reads one JSON request per line (`{"source", "cell", "platform", "known"}`) and answers each with one
//! line; the tests drive real Node with it. With `--module`, shows what becomes of a TypeScript file.

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};

use evalcell::kernel::js::transform::{
    ImportRequest, Imported, Known, Marker, Segment, SyntaxFailure, TransformOptions, Transformed, transform,
    transform_module,
};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mode = std::env::args().nth(1);
    if mode.as_deref() == Some("--serve") {
        return serve();
    }
    let mut source = String::new();
    std::io::stdin().read_to_string(&mut source)?;
    let request = json!({"source": source, "module": mode.as_deref() == Some("--module")});
    writeln!(std::io::stdout(), "{:#}", answer(&request))
}

/// Answers one request per line until stdin ends.
pub fn serve() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        writeln!(output, "{}", answer(&request))?;
        output.flush()?;
    }
    Ok(())
}

fn answer(request: &Value) -> Value {
    let source = request["source"].as_str().unwrap_or_default();
    let cell = request["cell"].as_str().unwrap_or("cell-1");
    if request["module"].as_bool() == Some(true) {
        return match transform_module(source, cell) {
            Ok(text) => json!({"main": text}),
            Err(failure) => refused(&failure),
        };
    }
    let platform: Vec<&str> = request["platform"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let known: HashMap<&str, Known> = request["known"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, facts)| {
            let fact = |fact: &str| facts[fact].as_bool() == Some(true);
            (name.as_str(), Known { on_session: fact("onSession"), constant: fact("constant") })
        })
        .collect();
    let options = TransformOptions {
        cell,
        platform_names: &|name| platform.contains(&name),
        known: &|name| known.get(name).copied(),
    };
    match transform(source, &options) {
        Ok(done) => described(&done),
        Err(failure) => refused(&failure),
    }
}

fn refused(failure: &SyntaxFailure) -> Value {
    json!({"error": {"message": failure.message, "line": failure.line, "column": failure.column, "text": failure.to_string()}})
}

fn described(done: &Transformed) -> Value {
    json!({
        "main": done.main,
        "hoisted": done.hoisted,
        "isAsync": done.is_async,
        "wrapped": done.wrapped,
        "hasValue": done.has_value,
        "typescript": done.typescript,
        "imports": done.imports.iter().map(import).collect::<Vec<_>>(),
        "bindings": done.bindings.iter().map(|binding| json!({
            "name": binding.name, "kind": binding.kind.as_str(), "onSession": binding.on_session,
            "marker": marker(binding.marker),
        })).collect::<Vec<_>>(),
        "assigned": done.assigned.iter().map(|assigned| json!({
            "name": assigned.name, "onSession": assigned.on_session, "marker": marker(assigned.marker),
        })).collect::<Vec<_>>(),
        "mainSegments": segments(&done.main_segments),
        "hoistedSegments": segments(&done.hoisted_segments),
    })
}

fn import(request: &ImportRequest) -> Value {
    let names: Vec<Value> = request
        .names
        .iter()
        .map(|name| {
            let imported = match &name.imported {
                Imported::Default => json!({"default": true}),
                Imported::Namespace => json!({"namespace": true}),
                Imported::Named(imported) => json!({"named": imported}),
            };
            json!({"imported": imported, "local": name.local, "onSession": name.on_session, "optional": name.optional})
        })
        .collect();
    json!({
        "specifier": request.specifier, "attributes": request.attributes, "names": names,
        "line": request.line, "column": request.column,
    })
}

fn marker(marker: Marker) -> Value {
    match marker {
        Marker::Start => json!("start"),
        Marker::After(number) => json!(number),
        Marker::End => json!("end"),
        Marker::Unknown => json!("unknown"),
    }
}

fn segments(segments: &[Segment]) -> Value {
    segments.iter().map(|segment| json!([segment.line, segment.generated, segment.original])).collect()
}
