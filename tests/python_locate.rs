//! Which Python is found, what was passed over and why, and how a start fails.

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use evalcell::kernel::python::locate::{Located, Search, Source, locate, resolve};
use evalcell::kernel::python::{PythonKernel, StartError};
use support::{block_on, config, interpreter};

const BUDGET: Duration = Duration::from_secs(30);

fn program(path: &Path, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_owned()
}

fn search(folder: &Path, env: &[(&str, &Path)]) -> Search {
    let env = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Search { interpreter: None, cwd: folder.to_owned(), env, host: vec![] }
}

fn resolved(search: &Search) -> Located {
    block_on(resolve(search, "test-locate", BUDGET)).unwrap()
}

#[test]
fn the_order_is_virtual_env_dot_venv_venv_conda_python3_python() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    let (virtual_env, conda, path) = (at("v"), at("c"), at("bin"));
    let search = search(folder.path(), &[("VIRTUAL_ENV", &virtual_env), ("CONDA_PREFIX", &conda), ("PATH", &path)]);
    let places = [
        ("v/bin/python", Source::VirtualEnv),
        (".venv/bin/python3", Source::DotVenv),
        ("venv/bin/python3", Source::Venv),
        ("c/bin/python3", Source::Conda),
        ("bin/python3", Source::Path("python3")),
        ("bin/python", Source::Path("python")),
    ];
    for (place, _) in places {
        program(&at(place), "#!/bin/sh\n");
    }
    for (place, source) in places {
        let found = locate(&search).unwrap();
        assert_eq!((found.executable, found.source), (at(place), source));
        fs::remove_file(at(place)).unwrap();
    }
    let message = locate(&search).unwrap_err().to_string().replace(folder.path().to_str().unwrap(), "<cwd>");
    assert_eq!(
        message,
        "Tried: <cwd>/v/bin/python3 (not found), <cwd>/.venv/bin/python3 (not found), <cwd>/venv/bin/python3 (not found), \
         <cwd>/c/bin/python3 (not found), python3 on PATH (not found), python on PATH (not found)."
    );
}

#[test]
fn the_option_is_tried_alone_and_a_bare_name_is_looked_up_on_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bin");
    let named = program(&path.join("python3.99"), "#!/bin/sh\n");
    program(&folder.path().join(".venv/bin/python3"), "#!/bin/sh\n");
    let mut search = search(folder.path(), &[("PATH", &path)]);
    search.interpreter = Some("python3.99".into());
    let found = locate(&search).unwrap();
    assert_eq!((found.executable, found.source), (named, Source::Option));
    search.interpreter = Some(folder.path().join("none"));
    let missing = locate(&search).unwrap_err();
    assert_eq!(missing.to_string(), format!("Tried: {} (not found).", folder.path().join("none").display()));
}

#[test]
fn variables_of_the_cells_come_before_the_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let (own, hosts) = (folder.path().join("own"), folder.path().join("hosts"));
    let file = program(&own.join("python3"), "#!/bin/sh\n");
    let hosts_file = program(&hosts.join("python3"), "#!/bin/sh\n");
    let mut search = search(folder.path(), &[]);
    search.host = vec![("PATH".into(), hosts.into())];
    assert_eq!(locate(&search).unwrap().executable, hosts_file);
    search.env = vec![("PATH".into(), own.into())];
    assert_eq!(locate(&search).unwrap().executable, file);
}

#[test]
fn files_that_cannot_be_run_are_passed_over_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bin");
    fs::create_dir_all(folder.path().join(".venv/bin")).unwrap();
    symlink(folder.path().join("gone"), folder.path().join(".venv/bin/python")).unwrap();
    fs::create_dir_all(folder.path().join("venv/bin/python3")).unwrap();
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("python3"), "text").unwrap();
    let python = program(&path.join("python"), "#!/bin/sh\n");
    let found = locate(&search(folder.path(), &[("PATH", &path)])).unwrap();
    assert_eq!(found.executable, python);
    let reasons: Vec<&str> = found.tried.iter().map(|tried| &*tried.why).collect();
    assert_eq!(reasons, ["a link to a file that is gone", "a folder, not a program", "not executable"]);
}

#[test]
fn a_shim_is_resolved_once_and_not_at_each_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shims");
    let counter = folder.path().join("count");
    let shim = program(
        &path.join("python3"),
        &format!("#!/bin/sh\necho x >> {}\necho noise\nexec {} \"$@\"\n", counter.display(), interpreter().display()),
    );
    let search = search(folder.path(), &[("PATH", &path)]);
    assert_eq!(locate(&search).unwrap().executable, shim);
    assert!(!counter.exists(), "no process is started for availability");
    for _ in 0..3 {
        assert_eq!(resolved(&search).executable, interpreter());
    }
    assert_eq!(fs::read_to_string(&counter).unwrap(), "x\n");
}

#[test]
fn a_broken_shim_is_passed_over_with_its_code_and_what_it_said() {
    let folder = tempfile::tempdir().unwrap();
    let (shims, bin) = (folder.path().join("shims"), folder.path().join("bin"));
    program(&shims.join("python3"), "#!/bin/sh\necho 'pyenv: python3: command not found' >&2\nexit 127\n");
    let real = program(&bin.join("python3"), "#!/bin/sh\n");
    let both = std::env::join_paths([&shims, &bin]).unwrap();
    let search = search(folder.path(), &[("PATH", Path::new(&both))]);
    let found = resolved(&search);
    assert_eq!(found.executable, real);
    assert_eq!(found.tried.last().unwrap().why, "exited with code 127: pyenv: python3: command not found");
}

#[test]
fn a_shim_that_is_too_slow_is_told_apart_from_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shims");
    program(&path.join("python3"), "#!/bin/sh\nexec /bin/sleep 60\n");
    let search = search(folder.path(), &[("PATH", &path)]);
    let missing = block_on(resolve(&search, "test-slow-shim", Duration::from_millis(300))).unwrap_err();
    assert!(missing.slow);
    assert!(missing.tried.last().unwrap().why.starts_with("slow start: no answer after 0.3 s"), "{missing}");
}

fn failure(script: &str, budget: Duration) -> StartError {
    let folder = tempfile::tempdir().unwrap();
    let file = program(&folder.path().join("python"), script);
    let mut config = config();
    config.interpreter = file;
    config.startup_timeout = budget;
    block_on(async { PythonKernel::start(config).await.err().unwrap() })
}

#[test]
fn failed_starts_are_told_apart() {
    let exited = failure("#!/bin/sh\necho 'bad magic' >&2\nexit 3\n", BUDGET).to_string();
    assert!(exited.starts_with("Python exited with code 3 before it was ready: /"), "{exited}");
    assert!(exited.ends_with("/python\nbad magic"), "{exited}");
    let slow = failure("#!/bin/sh\necho waiting\nexec /bin/sleep 60\n", Duration::from_millis(400)).to_string();
    assert!(slow.starts_with("Slow start: Python was not ready after 0.4 s (`python.startupTimeoutMs`): /"), "{slow}");
    assert!(slow.ends_with("/python\nwaiting"), "{slow}");
    let mut config = config();
    config.interpreter = "/nowhere/python3".into();
    let missing = block_on(async { PythonKernel::start(config).await.err().unwrap() }).to_string();
    assert_eq!(missing, "Python could not be started: /nowhere/python3: No such file or directory (os error 2).");
}

#[test]
fn a_wrapper_that_takes_its_time_works_within_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("#!/bin/sh\nsleep 0.7\nexec {} \"$@\"\n", interpreter().display());
    let file = program(&folder.path().join("python3"), &text);
    let mut config = config();
    config.interpreter = file;
    block_on(async {
        let session = support::Session::with(config).await;
        assert_eq!(session.text("1+1").await, "2\n");
    });
}
