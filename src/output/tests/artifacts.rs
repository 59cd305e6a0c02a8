//! Files for what is hidden: private, only when needed, never a reason to fail.

use super::*;

const SMALL: OutputLimits = OutputLimits { max_bytes: 10, max_lines: 100, head_bytes: 0, max_columns: 0, plain: false };

#[cfg(unix)]
fn mode(path: impl AsRef<Path>) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions()) & 0o777
}

#[test]
fn the_artifact_is_there_from_the_first_hidden_byte() {
    let folder = tempfile::tempdir().unwrap();
    let (finished, text) = print(SMALL, folder.path(), &[b"0123456789", b"A"]);
    let truncation = finished.truncation.unwrap();
    assert_eq!((truncation.output_bytes, truncation.total_bytes), (10, 11));
    assert!(
        text.starts_with(
            "123456789A\n\n[Output cut: only the end is shown, 1 of 1 line and 10 of 11 bytes. Whole output: /"
        ),
        "{text}"
    );
    assert_eq!(std::fs::read(&truncation.artifact_path).unwrap(), b"0123456789A");
    assert!(truncation.artifact_path.contains(&truncation.artifact_id));
}

#[cfg(unix)]
#[test]
fn files_are_private() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b");
    let (finished, _) = print(SMALL, &deep, &[&[b'x'; 100]]);
    assert_eq!(mode(finished.truncation.unwrap().artifact_path), 0o600);
    assert_eq!(mode(&deep), 0o700);
    let output = CallOutput::new(SMALL, ArtifactPlan::SessionTemp(std::sync::Arc::new(SessionFolder::new())));
    output.begin_cell(0);
    output.write(&[b'x'; 100]);
    let path = output.finish(Reserve::default()).truncation.unwrap().artifact_path;
    assert_eq!(mode(&path), 0o600);
    let session = Path::new(&path).parent().unwrap();
    assert_eq!(mode(session), 0o700);
    std::fs::remove_dir_all(session).unwrap();
}

#[test]
fn an_unwritable_folder_gives_a_notice_never_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let (finished, text) = print(SMALL, &file.join("below"), &[&[b'x'; 200_000]]);
    let truncation = finished.truncation.as_ref().unwrap();
    assert_eq!((truncation.artifact_path.as_str(), truncation.total_bytes), ("", 200_000));
    let notice = finished.notices().pop().unwrap();
    assert!(notice.starts_with("The whole output could not be saved: "), "{notice}");
    assert!(text.contains(&notice));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_gives_a_notice_never_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("output.log");
    std::fs::write(&path, "").unwrap();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut spill = artifact::Spill::into_file(&path, full);
    spill.push(&[b'x'; 500_000]);
    spill.push(b"more");
    assert_eq!(spill.keep(), Err("no space left on device".into()));
    assert!(!path.exists(), "a part of the stream is not kept: it would pass for the whole");
}

#[test]
fn a_host_names_the_place_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let output = CallOutput::new(SMALL, ArtifactPlan::HostAllocated);
    output.begin_cell(0);
    output.write(&[b'x'; 300_000]);
    let large = base64_of(crate::limits::MAX_IMAGE_BYTES + 1);
    output.display(Display::Image { mime_type: "image/png".into(), data: large });
    output.end_cell();
    let mut finished = output.finish(Reserve::default());
    assert_eq!(finished.wanted(), [ArtifactKind::Output, ArtifactKind::Image]);
    let place = folder.path().join("of/the/host.txt");
    finished.adopt(ArtifactKind::Output, "host-1".into(), place.clone());
    assert_eq!(finished.wanted(), [ArtifactKind::Image]);
    finished.refuse(ArtifactKind::Image, "no room");
    assert_eq!(finished.wanted(), []);
    let truncation = finished.truncation.as_ref().unwrap();
    assert_eq!((truncation.artifact_id.as_str(), Path::new(&truncation.artifact_path)), ("host-1", place.as_path()));
    assert_eq!(std::fs::metadata(place).unwrap().len(), 300_000);
    let notices = finished.notices();
    assert!(notices[0].starts_with("Image 1 (image/png, 5 MB) is too large to show; it is saved as "), "{notices:?}");
    assert_eq!(notices[1], "The host gave no place for the image (no room); it stays in a temporary file.");
    std::fs::remove_file(notices[0].rsplit(' ').next().unwrap()).unwrap();
}

#[test]
fn a_file_made_for_output_that_turned_out_to_be_shown_whole_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let limits = OutputLimits { plain: true, ..OutputLimits::default() };
    let progress = "\x1b[31m10%\x1b[0m\r".repeat(20_000);
    let (finished, text) = print(limits, folder.path(), &[progress.as_bytes(), b"done\n"]);
    assert_eq!((finished.truncation, text.as_str()), (None, "done"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_call_that_is_dropped_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(SMALL, folder.path());
    output.begin_cell(0);
    output.write(&[b'x'; 200_000]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    drop(output);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

fn base64_of(bytes: usize) -> String {
    "A".repeat(bytes.div_ceil(3) * 4)
}
