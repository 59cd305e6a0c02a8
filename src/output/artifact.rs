//! Files for what is not shown: private, made only when needed, byte for byte.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the files of a call go.
#[derive(Clone, Debug)]
pub enum ArtifactPlan {
    /// Into this folder (`artifactDir`), which is made when it is missing.
    Dir(PathBuf),
    /// Into the session's own private folder.
    SessionTemp(Arc<SessionFolder>),
    /// The host names the place at the end (`allocateArtifact`); until then bytes wait in a temporary file.
    HostAllocated,
}

impl ArtifactPlan {
    /// Makes a new private file of this plan. Its stem is the artifact's id.
    fn create(&self, prefix: &str, extension: &str) -> io::Result<ArtifactFile> {
        let folder = match self {
            Self::Dir(folder) => {
                create_private_folder(folder)?;
                folder.clone()
            }
            Self::SessionTemp(folder) => folder.path()?,
            Self::HostAllocated => std::env::temp_dir(),
        };
        loop {
            let id = unique_name(prefix);
            let path = folder.join(format!("{id}.{extension}"));
            match create_private_file(&path) {
                Ok(file) => return Ok(ArtifactFile { id, path, file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

struct ArtifactFile {
    id: String,
    path: PathBuf,
    file: File,
}

/// A finished file, and how the result names it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Saved {
    pub id: String,
    pub path: PathBuf,
}

/// A session's private folder for artifacts (0700), made when the first one needs it. It outlives the session: whoever
/// read a result may still open the file it names.
#[derive(Debug, Default)]
pub struct SessionFolder {
    made: Mutex<Option<PathBuf>>,
}

impl SessionFolder {
    pub fn new() -> Self {
        Self::default()
    }

    fn path(&self) -> io::Result<PathBuf> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        // Made anew when somebody cleaned the temporary folder.
        if let Some(path) = made.as_ref().filter(|path| path.is_dir()) {
            return Ok(path.clone());
        }
        loop {
            let path = std::env::temp_dir().join(unique_name("evalcell"));
            match private_folder_builder().create(&path) {
                Ok(()) => return Ok(made.insert(path).clone()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The stream's bytes: in memory until they are too many, then in a file.
///
/// File followed by buffer is the whole stream, always.
#[derive(Debug)]
pub(crate) struct Spill {
    plan: ArtifactPlan,
    buffer: Vec<u8>,
    /// Bytes held in memory before a file is made; nothing is hidden below that.
    hold: usize,
    file: Option<(Saved, File)>,
    failed: Option<String>,
}

/// Bytes collected for one write once the file exists.
const WRITE_BYTES: usize = 64 * 1024;

impl Spill {
    pub fn new(plan: ArtifactPlan, hold: usize) -> Self {
        Self { plan, buffer: Vec::new(), hold: hold.max(WRITE_BYTES), file: None, failed: None }
    }

    #[cfg(test)]
    pub fn into_file(path: &Path, file: File) -> Self {
        let saved = Saved { id: "output".into(), path: path.to_owned() };
        let mut spill = Self::new(ArtifactPlan::HostAllocated, 0);
        spill.file = Some((saved, file));
        spill
    }

    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    pub fn push(&mut self, bytes: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        let room = if self.file.is_some() { WRITE_BYTES } else { self.hold };
        if self.buffer.len() + bytes.len() <= room {
            self.buffer.extend_from_slice(bytes);
            return;
        }
        if let Err(error) = self.write_out(bytes) {
            self.fail(error);
        }
    }

    fn write_out(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            let ArtifactFile { id, path, file } = self.plan.create("output", "log")?;
            self.file = Some((Saved { id, path }, file));
        }
        if let Some((_, file)) = &mut self.file {
            file.write_all(&self.buffer)?;
            self.buffer.clear();
            self.buffer.shrink_to(WRITE_BYTES);
            if bytes.len() < WRITE_BYTES {
                self.buffer.extend_from_slice(bytes);
            } else {
                file.write_all(bytes)?;
            }
        }
        Ok(())
    }

    /// A part of the stream is worth nothing to a reader who expects the whole: it goes, and its disk space with it.
    fn fail(&mut self, error: io::Error) {
        self.failed = Some(reason(&error));
        self.buffer = Vec::new();
        self.discard();
    }

    /// Something is hidden: the whole stream goes to its file.
    pub fn keep(&mut self) -> Result<Saved, String> {
        if self.failed.is_none()
            && let Err(error) = self.write_out(&[])
        {
            self.fail(error);
        }
        match (&self.failed, self.file.take()) {
            (None, Some((saved, _))) => Ok(saved),
            (why, _) => Err(why.clone().unwrap_or_default()),
        }
    }

    /// Nothing is hidden: no file.
    pub fn discard(&mut self) {
        if let Some((saved, file)) = self.file.take() {
            drop(file);
            // It is private and in a temporary or private folder: a file that cannot be removed harms nobody.
            let _ = std::fs::remove_file(saved.path);
        }
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        self.discard();
    }
}

/// Saves one image of its own.
pub(crate) fn save_image(plan: &ArtifactPlan, bytes: &[u8], extension: &str) -> Result<Saved, String> {
    let write = || {
        let ArtifactFile { id, path, mut file } = plan.create("image", extension)?;
        file.write_all(bytes).inspect_err(|_| {
            let _ = std::fs::remove_file(&path);
        })?;
        Ok(Saved { id, path })
    };
    write().map_err(|error: io::Error| reason(&error))
}

/// Moves a file to the place the host named; across devices by copying.
pub(crate) fn move_private(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        create_private_folder(folder)?;
    }
    if std::fs::rename(from, to).is_ok() {
        return Ok(());
    }
    // The host may have made the file already, with rights of its own choice: those are kept.
    let mut target = match create_private_file(to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().write(true).truncate(true).open(to)?
        }
        other => other?,
    };
    let copied = File::open(from).and_then(|mut source| io::copy(&mut source, &mut target));
    if let Err(error) = copied {
        let _ = std::fs::remove_file(to);
        return Err(error);
    }
    let _ = std::fs::remove_file(from);
    Ok(())
}

/// An I/O error as part of a sentence: without the operating system's number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

fn create_private_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() || folder.as_os_str().is_empty() {
        return Ok(());
    }
    private_folder_builder().recursive(true).create(folder)
}

fn private_folder_builder() -> DirBuilder {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Never the same twice in one process, and not guessed by another: files are made only where none was.
fn unique_name(prefix: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map(|time| time.as_micros()).unwrap_or_default();
    format!("{prefix}-{}-{time:x}-{count}", std::process::id())
}
