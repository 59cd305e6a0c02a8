//! Paths as cells write them.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::HelperError;

/// The absolute path a cell means, without `.` and `..`.
pub(super) fn resolve(cwd: &Path, path: &str) -> Result<PathBuf, HelperError> {
    if path.is_empty() {
        return Err(HelperError::argument("the path is empty"));
    }
    if path.contains('\0') {
        return Err(HelperError::argument("the path contains a NUL character"));
    }
    if let Some(scheme) = scheme(path) {
        return Err(HelperError::argument(format!(
            "`{path}` is not a file: paths with a scheme (`{scheme}://`) are not supported, give a plain path"
        )));
    }
    Ok(normalise(&cwd.join(path)))
}

/// The scheme of `scheme://…`. One letter is a Windows drive, not a scheme.
fn scheme(path: &str) -> Option<&str> {
    let (scheme, _) = path.split_once("://")?;
    let mut bytes = scheme.bytes();
    let starts = bytes.next().is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on = bytes.all(|next| next.is_ascii_alphanumeric() || matches!(next, b'+' | b'.' | b'-'));
    (starts && goes_on && scheme.len() > 1).then_some(scheme)
}

fn normalise(path: &Path) -> PathBuf {
    // `..` after a symlink means the parent of its target: only the system can say which that is.
    let plain = !path.components().any(|component| component == Component::ParentDir);
    match path.canonicalize() {
        Ok(found) if !plain => found,
        _ => path.components().fold(PathBuf::new(), |mut out, component| {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    out.pop();
                }
                other => out.push(other),
            }
            out
        }),
    }
}

/// A path for a message or a result.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// An error of the system, told with what was tried and on what.
pub(super) fn system_error(path: &str, error: &io::Error) -> HelperError {
    match error.kind() {
        io::ErrorKind::NotFound => HelperError::missing(format!("no such file or folder: {path}")),
        io::ErrorKind::PermissionDenied => HelperError::failed(format!("permission denied: {path}")),
        io::ErrorKind::NotADirectory => HelperError::failed(format!("a part of the path is not a folder: {path}")),
        io::ErrorKind::IsADirectory => HelperError::failed(format!("is a folder: {path}")),
        _ => HelperError::failed(format!("{error}: {path}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_a_scheme_are_refused_and_everything_else_is_a_path() {
        let cwd = Path::new("/base");
        for refused in ["skill://x", "https://a/b", "file:///etc", "a+b-c.d://"] {
            let error = resolve(cwd, refused).unwrap_err();
            assert!(error.message.contains("scheme"), "{refused}: {}", error.message);
        }
        for (given, expected) in [
            ("a/b", "/base/a/b"),
            ("./a", "/base/a"),
            ("../a", "/a"),
            ("/x/./y", "/x/y"),
            ("a:b", "/base/a:b"),
            ("1://x", "/base/1:/x"),
            (" ", "/base/ "),
        ] {
            assert_eq!(resolve(cwd, given).unwrap(), Path::new(expected), "{given}");
        }
    }
}
