//! Which Pythons run cells: every one that is installed from 3.9 on, and an older one says so at once.

mod support;

use std::path::PathBuf;

use evalcell::kernel::python::{PythonConfig, PythonKernel};
use evalcell::kernel::{Driver, Outcome};
use evalcell::limits::PYTHON_OLDEST;
use support::{Event, Session, block_on};

/// The executables of the versions that `PATH` has, as `python3.<minor>`; what does not start counts as missing.
fn installed(minors: std::ops::Range<u32>) -> Vec<(u32, PathBuf)> {
    let executable = |minor| {
        let output = std::process::Command::new(format!("python3.{minor}"))
            .args(["-c", "import sys; print(sys.executable)"])
            // pyenv's shims know which of the installed versions they stand for only when they are told.
            .env("PYENV_VERSION", pyenv_version(minor)?)
            .output()
            .ok()?;
        let path = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| (minor, PathBuf::from(path.trim())))
    };
    minors.filter_map(executable).collect()
}

/// What `PYENV_VERSION` must be for this minor version; empty without pyenv.
fn pyenv_version(minor: u32) -> Option<String> {
    let Ok(output) = std::process::Command::new("pyenv").args(["versions", "--bare"]).output() else {
        return Some(String::new());
    };
    let versions = String::from_utf8(output.stdout).ok()?;
    let found = versions.lines().find(|version| version.starts_with(&format!("3.{minor}.")));
    Some(found.unwrap_or_default().to_owned())
}

#[test]
fn every_installed_version_from_the_oldest_on_runs_cells() {
    let versions = installed(PYTHON_OLDEST.1..20);
    assert!(!versions.is_empty(), "no python3.x on PATH");
    for (minor, interpreter) in versions {
        block_on(async {
            let session = Session::with(PythonConfig { interpreter, ..support::config() }).await;
            let kernel = &session.kernel;
            assert!(kernel.facts().version.is_some_and(|version| version.starts_with(&format!("3.{minor}."))));
            assert_eq!(session.text("x = 20\nx + 1").await, "21\n", "3.{minor}");
            assert_eq!(session.text("import asyncio\nawait asyncio.sleep(0, x)").await, "20\n", "3.{minor}");
            let (_, events) = session.run("print('a', end='')\ndisplay({'b': 1})\nprint('c')").await;
            let expected = [Event::Text("a".into()), Event::Json(r#"{"b":1}"#.into()), Event::Text("c\n".into())];
            assert_eq!(events, expected, "3.{minor}");
            let thrown = session.thrown("def f():\n    return 1/0\ny = 1\nf()\nz = 2").await;
            assert!(thrown.traceback.contains("in f") && thrown.line == Some(2), "3.{minor}: {thrown:?}");
            assert!(!thrown.traceback.contains("<evalcell>"), "3.{minor}: {}", thrown.traceback);
            let (end, _) = session.run("good = 1\n1/0\nbad = 2").await;
            assert_eq!((end.bound, end.not_reached), (vec!["good".into()], vec!["bad".into()]), "3.{minor}");
            let (end, _) = session.run("def (").await;
            assert!(matches!(end.outcome, Outcome::Syntax(_)), "3.{minor}: {end:?}");
            assert_eq!(session.text("[tool.echo(i=i)['i'] for i in range(3)]").await, "[0, 1, 2]\n", "3.{minor}");
            let (end, _) = session.run("import sys; sys.exit(3)").await;
            assert!(matches!(end.outcome, Outcome::Exit { code: 3, .. }), "3.{minor}: {end:?}");
            assert_eq!(session.text("!echo {x}").await, "20\n", "3.{minor}");
            let pool = "import multiprocessing as mp\ndef sq(n): return n * n\nwith mp.get_context('fork').Pool(2) as p: print(p.map(sq, [1, 2]))";
            assert!(session.text(pool).await.ends_with("[1, 4]\n"), "3.{minor}");
            for code in ["print('go')\nwhile True: pass", "print('go')\nawait asyncio.sleep(60)"] {
                let recorder = std::sync::Arc::new(support::Recorder::default());
                let request = session.request(code);
                let run = request.run;
                let end = kernel.run(request, recorder.clone());
                recorder.saw("go").await;
                kernel.interrupt(run);
                assert!(matches!(end.await.outcome, Outcome::Stopped), "3.{minor}: {code}");
            }
            assert_eq!(session.text("x").await, "20\n", "3.{minor}");
            assert!(kernel.variables().await.expect("answered").iter().any(|row| row.name == "x"), "3.{minor}");
            kernel.close().await;
        });
    }
}

async fn refusal(config: PythonConfig) -> String {
    match PythonKernel::start(config).await {
        Ok(_) => panic!("it started"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_older_version_says_at_the_start_which_it_is_and_what_is_needed() {
    let (major, minor) = PYTHON_OLDEST;
    let needed = format!("; {major}.{minor} or newer is needed.");
    block_on(async {
        // One that only claims to be older, which every machine has.
        let folder = tempfile::tempdir().expect("a folder");
        let lie = "import sys\nsys.version_info = (3, 8, 18, 'final', 0)\n";
        std::fs::write(folder.path().join("sitecustomize.py"), lie).expect("written");
        let mut config = support::config();
        config.env.push(("PYTHONPATH".into(), folder.path().into()));
        let message = refusal(config).await;
        assert!(message.ends_with(&format!("This is Python 3.8.18{needed}")), "{message}");
        for (minor, interpreter) in installed(4..PYTHON_OLDEST.1) {
            let message = refusal(PythonConfig { interpreter, ..support::config() }).await;
            assert!(message.contains(&format!("This is Python 3.{minor}.")) && message.ends_with(&needed), "{message}");
        }
    });
}
