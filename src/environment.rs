//! Which environment variables a kernel gets.
//!
//! The default is an allow-list: what it does not name is not passed. A second list then drops names that look like
//! secrets, because the allow-list has patterns. Both are below, to be read.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Passed by [`EnvFilter::Safe`]. `*` stands for any text.
pub const ALLOWED: &[&str] = &[
    // Who and where.
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PWD",
    "HOSTNAME",
    "TERM",
    "COLORTERM",
    "TMPDIR",
    "TEMP",
    "TMP",
    "TZ",
    // Language of messages and text.
    "LANG",
    "LANGUAGE",
    "LC_*",
    // Folders of the user.
    "XDG_*",
    // Python and its environments.
    "PYTHON*",
    "VIRTUAL_ENV",
    "VIRTUAL_ENV_PROMPT",
    "CONDA_*",
    "MAMBA_*",
    "PYENV_*",
    "ASDF_*",
    "PIP_CONFIG_FILE",
    "PIP_CACHE_DIR",
    // Where libraries are, and how many threads they may use.
    "LD_LIBRARY_PATH",
    "DYLD_*",
    "OMP_*",
    "MKL_*",
    "OPENBLAS_*",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    // Node and its version managers.
    "NODE_PATH",
    "NODE_ENV",
    "NVM_*",
    "VOLTA_HOME",
    "FNM_*",
    // The way out: proxies and certificates. Credentials inside a proxy's address are removed.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "FTP_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "ftp_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    // A display, for programs that open one.
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "MPLCONFIGDIR",
    // The agent host.
    "PI_*",
    "CI",
    "NO_COLOR",
    "FORCE_COLOR",
    // Windows does not work without these.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "USERNAME",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "HOMEDRIVE",
    "HOMEPATH",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
    "OS",
];

/// Dropped by [`EnvFilter::Safe`] even when a pattern above passes it. Compared without regard to case.
pub const SECRET: &[&str] = &[
    "*_KEY",
    "*_KEYS",
    "*APIKEY*",
    "*API_KEY*",
    "*ACCESS_KEY*",
    "*PRIVATE_KEY*",
    "*_TOKEN",
    "*_TOKEN_*",
    "*TOKENS",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*_PASS",
    "*_PWD",
    "*CREDENTIAL*",
    "*_AUTH",
    "*_COOKIE*",
    "*_DSN",
    "*_SESSION_ID",
    "AWS_*",
    "AZURE_*",
    "GOOGLE_*",
    "GCP_*",
    "GCLOUD_*",
];

/// The option `envFilter`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum EnvFilter {
    /// Everything the host has.
    Inherit,
    /// What [`ALLOWED`] names and [`SECRET`] does not.
    #[default]
    Safe,
    /// `Safe`, and what `allow` names besides (also secrets: naming one is asking for it), without what `deny` names.
    /// Names may hold `*`; `deny` wins.
    Custom { allow: Vec<String>, deny: Vec<String> },
}

/// The variables of `base` that pass the filter, then `extra`, which always passes and replaces what `base` had.
pub fn filtered(
    filter: &EnvFilter,
    base: impl Iterator<Item = (OsString, OsString)>,
    extra: &BTreeMap<String, String>,
) -> Vec<(OsString, OsString)> {
    let replaced = |name: &OsStr| extra.keys().any(|key| same_name(OsStr::new(key), name));
    let passed = base.filter(|(name, _)| !replaced(name)).filter_map(|(name, value)| {
        // A name that is no text can match no pattern.
        let text = name.to_str().unwrap_or_default();
        let value = match filter {
            EnvFilter::Inherit => value,
            EnvFilter::Safe => safe(text, value)?,
            EnvFilter::Custom { deny, .. } if any(deny, text) => return None,
            EnvFilter::Custom { allow, .. } if any(allow, text) => value,
            EnvFilter::Custom { .. } => safe(text, value)?,
        };
        Some((name, value))
    });
    let added = extra.iter().map(|(name, value)| (name.into(), value.into()));
    passed.chain(added).collect()
}

fn safe(name: &str, value: OsString) -> Option<OsString> {
    if !any(ALLOWED, name) || (any(SECRET, name) && !ALLOWED.contains(&name)) {
        return None;
    }
    Some(if name.to_ascii_lowercase().ends_with("_proxy") { without_credentials(value) } else { value })
}

/// `scheme://user:password@host` without `user:password@`. A proxy that needs them must be allowed by name.
fn without_credentials(value: OsString) -> OsString {
    let Some(text) = value.to_str() else { return OsString::new() };
    let (scheme, rest) = text.split_once("://").map_or(("", text), |(scheme, rest)| (scheme, rest));
    let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..authority_end].rfind('@') {
        Some(at) if scheme.is_empty() => rest[at + 1..].into(),
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]).into(),
        None => value,
    }
}

fn any(patterns: &[impl AsRef<str>], name: &str) -> bool {
    patterns.iter().any(|pattern| matches(&pattern.as_ref().to_ascii_uppercase(), &name.to_ascii_uppercase()))
}

/// Whether `name` is `pattern`, where `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(head) else { return false };
    // The rest of the pattern may begin at any character, the end included.
    (0..=rest.len()).any(|start| rest.is_char_boundary(start) && matches(tail, &rest[start..]))
}

fn same_name(one: &OsStr, other: &OsStr) -> bool {
    if cfg!(windows) { one.eq_ignore_ascii_case(other) } else { one == other }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(filter: &EnvFilter, base: &[(&str, &str)]) -> Vec<String> {
        let base = base.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        filtered(filter, base, &BTreeMap::new())
            .into_iter()
            .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
            .collect()
    }

    #[test]
    fn safe_passes_what_programs_need_and_nothing_that_it_does_not_name() {
        let base = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("PYTHONPATH", "src"),
            ("VIRTUAL_ENV", "/v"),
            ("PI_SESSION_FILE", "/s"),
            ("PWD", "/here"),
            ("OPENAI_API_KEY", "s3cret"),
            ("MYSQL_PWD", "s3cret"),
            ("DATABASE_URL", "postgres://u:s3cret@h/d"),
            ("PI_API_TOKEN", "s3cret"),
            ("AWS_PROFILE", "s3cret"),
            ("GITHUB_TOKEN", "s3cret"),
            ("SOMETHING", "s3cret"),
        ];
        let kept = names(&EnvFilter::Safe, &base);
        assert_eq!(
            kept,
            ["PATH=/bin", "LC_ALL=C", "PYTHONPATH=src", "VIRTUAL_ENV=/v", "PI_SESSION_FILE=/s", "PWD=/here"]
        );
    }

    #[test]
    fn a_proxy_passes_without_its_credentials() {
        let base = [
            ("HTTPS_PROXY", "http://me:s3cret@proxy:8080/x"),
            ("http_proxy", "me:s3cret@proxy:80"),
            ("NO_PROXY", "a,b"),
        ];
        assert_eq!(
            names(&EnvFilter::Safe, &base),
            ["HTTPS_PROXY=http://proxy:8080/x", "http_proxy=proxy:80", "NO_PROXY=a,b"]
        );
    }

    #[test]
    fn allow_adds_to_the_safe_list_and_deny_wins() {
        let filter =
            EnvFilter::Custom { allow: vec!["MY_*".into(), "OPENAI_API_KEY".into()], deny: vec!["MY_SECRET*".into()] };
        let base = [("PATH", "p"), ("MY_NAME", "n"), ("MY_SECRET_1", "s"), ("OPENAI_API_KEY", "k"), ("OTHER", "o")];
        assert_eq!(names(&filter, &base), ["PATH=p", "MY_NAME=n", "OPENAI_API_KEY=k"]);
    }

    #[test]
    fn extra_variables_always_pass_and_replace() {
        let extra = BTreeMap::from([("PATH".to_owned(), "/mine".to_owned()), ("A_TOKEN".to_owned(), "t".to_owned())]);
        let base = [("PATH".into(), "/bin".into()), ("HOME".into(), "/h".into())];
        let all = filtered(&EnvFilter::Safe, base.into_iter(), &extra);
        assert_eq!(
            all,
            [("HOME".into(), "/h".into()), ("A_TOKEN".into(), "t".into()), ("PATH".into(), "/mine".into())]
        );
    }

    #[test]
    fn inherit_passes_everything() {
        assert_eq!(names(&EnvFilter::Inherit, &[("ANY_SECRET", "s")]), ["ANY_SECRET=s"]);
    }
}
