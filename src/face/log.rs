//! Structured log records: to the hosts that gave `onLog`, and to stderr when `EVALCELL_LOG` asks for it.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError, Weak};

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

use super::callback::{Callback, Message};

/// Environment variable that names a level (`error` … `trace`) for records on stderr.
const VARIABLE: &str = "EVALCELL_LOG";

static SINKS: LazyLock<Mutex<Vec<Weak<Callback>>>> = LazyLock::new(Mutex::default);
static INSTALLED: Once = Once::new();

/// Sends records to this host from now on, for as long as its tool lives.
pub fn add_sink(callback: &Arc<Callback>) {
    let mut sinks = SINKS.lock().unwrap_or_else(PoisonError::into_inner);
    sinks.retain(|sink| sink.strong_count() > 0);
    sinks.push(Arc::downgrade(callback));
    drop(sinks);
    install();
}

/// Starts logging to stderr when the variable asks for it. Without it and without a sink, events cost nothing.
pub fn start() {
    if stderr_level() != LevelFilter::OFF {
        install();
    }
}

fn stderr_level() -> LevelFilter {
    std::env::var(VARIABLE).ok().and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::OFF)
}

fn install() {
    INSTALLED.call_once(|| {
        let subscriber = tracing_subscriber::registry().with(Records { stderr: stderr_level() });
        // Each shared library has a dispatcher of its own; only a second copy of ours could have been faster.
        let _ = tracing::subscriber::set_global_default(subscriber);
    });
}

struct Records {
    stderr: LevelFilter,
}

impl<S: Subscriber> Layer<S> for Records {
    fn enabled(&self, metadata: &Metadata<'_>, _context: Context<'_, S>) -> bool {
        metadata.target().starts_with("evalcell")
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let level = metadata.level().as_str().to_ascii_lowercase();
        let record =
            json!({ "level": level, "target": metadata.target(), "message": fields.message, "fields": fields.others })
                .to_string();
        if metadata.level() <= &self.stderr {
            // Asked for by the variable; a closed stderr is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{record}");
        }
        let sinks: Vec<_> =
            SINKS.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect();
        for sink in sinks {
            sink.tell(Message { kind: "log", id: 0, name: String::new(), body: record.clone(), call: 0 });
        }
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Fields {
    fn add(&mut self, field: &Field, value: Value) {
        self.others.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" { self.message = text } else { self.add(field, Value::from(text)) }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" { self.message = value.to_owned() } else { self.add(field, Value::from(value)) }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, Value::from(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, Value::from(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, Value::from(value));
    }
}
