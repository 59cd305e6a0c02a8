//! What the Python tests share: a kernel, and an observer that records.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evalcell::kernel::python::{PythonConfig, PythonKernel, PythonLimits, Transport};
use evalcell::kernel::{
    Display, Driver, Outcome, Returns, RunEnd, RunObserver, RunRequest, Thrown, ToolCall, ToolFailure,
};
use serde_json::value::RawValue;
use tokio::sync::Notify;

/// One thing that a run produced; text that follows text is joined.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Text(String),
    Shown(String),
    Markdown(String),
    Json(String),
    Image(String),
    Status(String),
    Tool(String, String),
}

type Answer = dyn Fn(&str, &str) -> Option<Result<String, String>> + Send + Sync;

/// Records in order; answers tool calls with its function (`None`: never).
pub struct Recorder {
    events: Mutex<Vec<Event>>,
    bytes: Mutex<Vec<u8>>,
    answer: Box<Answer>,
    /// Signalled at each event.
    pub changed: Notify,
    kept: Mutex<Vec<ToolCall>>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::answering(|name, args| match name {
            "echo" => Some(Ok(args.to_owned())),
            "fail" => Some(Err("no such thing".to_owned())),
            _ => None,
        })
    }
}

impl Recorder {
    pub fn answering(answer: impl Fn(&str, &str) -> Option<Result<String, String>> + Send + Sync + 'static) -> Self {
        Self {
            events: Mutex::default(),
            bytes: Mutex::default(),
            answer: Box::new(answer),
            changed: Notify::new(),
            kept: Mutex::default(),
        }
    }

    fn add(&self, event: Event) {
        self.flush();
        self.events.lock().unwrap().push(event);
        self.changed.notify_waiters();
    }

    fn flush(&self) {
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap());
        if !bytes.is_empty() {
            self.events.lock().unwrap().push(Event::Text(String::from_utf8_lossy(&bytes).into_owned()));
        }
    }

    pub fn events(&self) -> Vec<Event> {
        self.flush();
        let mut joined: Vec<Event> = Vec::new();
        for event in self.events.lock().unwrap().iter() {
            match (joined.last_mut(), event) {
                (Some(Event::Text(before)), Event::Text(text)) => before.push_str(text),
                _ => joined.push(event.clone()),
            }
        }
        joined
    }

    /// All text of the stream, displays left out.
    pub fn text(&self) -> String {
        self.events()
            .into_iter()
            .filter_map(|event| if let Event::Text(text) = event { Some(text) } else { None })
            .collect()
    }

    /// Resolves when the stream holds `part`.
    pub async fn saw(&self, part: &str) {
        loop {
            let changed = self.changed.notified();
            if self.text().contains(part) {
                return;
            }
            changed.await;
        }
    }

    /// Resolves when a tool has been called.
    pub async fn saw_call(&self) {
        loop {
            let changed = self.changed.notified();
            if self.events().iter().any(|event| matches!(event, Event::Tool(..))) {
                return;
            }
            changed.await;
        }
    }

    /// The calls that were not answered.
    pub fn kept(&self) -> Vec<ToolCall> {
        std::mem::take(&mut *self.kept.lock().unwrap())
    }
}

impl RunObserver for Recorder {
    fn text(&self, bytes: &[u8]) {
        self.bytes.lock().unwrap().extend_from_slice(bytes);
        self.changed.notify_waiters();
    }

    fn display(&self, display: Display) {
        self.add(match display {
            Display::Text { text, markdown: false } => Event::Shown(text),
            Display::Text { text, markdown: true } => Event::Markdown(text),
            Display::Json(value) => Event::Json(value.get().to_owned()),
            Display::Image { mime_type, .. } => Event::Image(mime_type),
        });
    }

    fn status(&self, event: Box<RawValue>) {
        self.add(Event::Status(event.get().to_owned()));
    }

    fn tool_call(&self, call: ToolCall) {
        match (self.answer)(&call.name, &call.args) {
            Some(answer) => {
                self.add(Event::Tool(call.name, call.args));
                (call.reply)(answer.map_err(|message| ToolFailure { message }));
            }
            None => {
                self.add(Event::Tool(call.name.clone(), call.args.clone()));
                self.kept.lock().unwrap().push(call);
            }
        }
    }
}

/// The interpreter under test: `EVALCELL_PYTHON`, else the `python3` that a user gets.
pub fn interpreter() -> PathBuf {
    static FOUND: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    FOUND
        .get_or_init(|| {
            let program = std::env::var("EVALCELL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
            let output = std::process::Command::new(program)
                .args(["-c", "import sys; print(sys.executable)"])
                .output()
                .expect("python3 is installed");
            PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
        })
        .clone()
}

/// How kernels under test are connected: `EVALCELL_TRANSPORT=named` runs any of these files over a local socket.
pub fn transport() -> Transport {
    if std::env::var_os("EVALCELL_TRANSPORT").is_some_and(|name| name == "named") {
        Transport::Named
    } else {
        Transport::default()
    }
}

static NEXT: AtomicU64 = AtomicU64::new(1);

pub fn config() -> PythonConfig {
    PythonConfig {
        kernel_id: format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)),
        interpreter: interpreter(),
        cwd: std::env::temp_dir(),
        env: std::env::vars_os().collect(),
        limits: PythonLimits::default(),
        session_file: None,
        transport: transport(),
        startup_timeout: Duration::from_secs(30),
    }
}

/// A kernel with its count of cells.
pub struct Session {
    pub kernel: Arc<PythonKernel>,
    next: AtomicU64,
}

impl Session {
    pub async fn new() -> Self {
        Self::with(config()).await
    }

    pub async fn with(config: PythonConfig) -> Self {
        let kernel = PythonKernel::start(config).await.expect("the kernel starts");
        Self { kernel, next: AtomicU64::new(1) }
    }

    pub fn request(&self, code: &str) -> RunRequest {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        RunRequest {
            run: NEXT.fetch_add(1, Ordering::Relaxed),
            cell: format!("cell-{number}"),
            code: code.to_owned(),
            returns: Returns::Shown,
            tools: Arc::new(vec!["echo".to_owned(), "fail".to_owned(), "my-tool".to_owned(), "never".to_owned()]),
            open_tools: false,
        }
    }

    pub async fn run_with(&self, code: &str, recorder: &Arc<Recorder>) -> RunEnd {
        let observer: Arc<dyn RunObserver> = recorder.clone();
        self.kernel.run(self.request(code), observer).await
    }

    pub async fn run(&self, code: &str) -> (RunEnd, Vec<Event>) {
        let recorder = Arc::new(Recorder::default());
        let end = self.run_with(code, &recorder).await;
        (end, recorder.events())
    }

    /// Runs a cell that must end well; its text.
    pub async fn text(&self, code: &str) -> String {
        let recorder = Arc::new(Recorder::default());
        let end = self.run_with(code, &recorder).await;
        assert!(matches!(end.outcome, Outcome::Complete), "{code}: {end:?}\n{}", recorder.text());
        recorder.text()
    }

    /// Waits for output between cells that ends so. Nothing announces it; it is asked for until it is there.
    pub async fn background(&self, end: &str) {
        let mut text = Vec::new();
        let asking = async {
            while !text.ends_with(end.as_bytes()) {
                tokio::time::sleep(Duration::from_millis(10)).await;
                text.extend(self.kernel.take_background().text);
            }
        };
        tokio::time::timeout(Duration::from_secs(20), asking).await.expect("background output");
    }

    /// Runs a cell that must end with an exception.
    pub async fn thrown(&self, code: &str) -> Thrown {
        let (end, events) = self.run(code).await;
        match end.outcome {
            Outcome::Exception(thrown) | Outcome::Syntax(thrown) | Outcome::Stdin(thrown) => thrown,
            other => panic!("{code}: {other:?} {events:?}"),
        }
    }
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}
