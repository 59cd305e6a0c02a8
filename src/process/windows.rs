//! Windows: a job object for each kernel, in place of groups and life pipes.
//!
//! Whatever a member of a job starts is in the job, and the end of a job's last handle ends its members. That handle is in
//! this process alone, so a kernel and everything it started goes when the host does, by whatever means it goes.
//!
//! A kernel gets a console of its own, hidden: without any, native libraries that ask for one hang while they are
//! imported; with the host's, or a visible one, a window flashes up.
//!
//! This is compiled (in CI where the target is installed), and written from Microsoft's documentation; no test of this package has run it.

use std::ffi::OsStr;
use std::io::{self, PipeWriter};
use std::mem::{size_of, zeroed};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};

use tokio::sync::watch;
use windows_sys::Win32::Foundation::{HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_CONSOLE, CREATE_UNICODE_ENVIRONMENT, CreateProcessW, DeleteProcThreadAttributeList,
    EXTENDED_STARTUPINFO_PRESENT, GetExitCodeProcess, INFINITE, InitializeProcThreadAttributeList,
    LPPROC_THREAD_ATTRIBUTE_LIST, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROC_THREAD_ATTRIBUTE_JOB_LIST,
    PROCESS_INFORMATION, STARTF_USESHOWWINDOW, STARTF_USESTDHANDLES, STARTUPINFOEXW, UpdateProcThreadAttribute,
    WaitForSingleObject,
};

use super::command_line::{command_line, environment_block};
use super::jobs::{Group, checked, new_job};
use super::{Child, Exit, Spawn, TAG};

/// No descriptor of a kernel is for its life.
pub const LIFE_DESCRIPTORS: &[i32] = &[];

/// Ties a job to this. **Dropping it ends the job.**
#[derive(Debug)]
pub struct LifeLine(Group);

impl Drop for LifeLine {
    fn drop(&mut self) {
        self.0.kill();
    }
}

impl Spawn {
    /// Starts it with its output, both kinds, to `output` and no input, tied to the life of this process.
    ///
    /// # Errors
    /// What the system says: not found, not executable, no such directory, an argument with a NUL.
    pub fn start_tied(self, output: &PipeWriter) -> io::Result<(Child, LifeLine)> {
        let job = new_job()?;
        let output = inheritable(OwnedHandle::from(output.try_clone()?))?;
        let input = inheritable(OwnedHandle::from(std::fs::File::open("NUL")?))?;
        let (pid, process) = self.create(&job, &input, &output)?;
        let group = Group::adopt(pid, job);
        let exit = watch_over(process, group.clone())?;
        let life = LifeLine(group.clone());
        Ok((Child { pid, group, exit }, life))
    }

    fn create(self, job: &OwnedHandle, input: &OwnedHandle, output: &OwnedHandle) -> io::Result<(u32, OwnedHandle)> {
        let program = wide(self.program.as_os_str())?;
        let mut arguments = vec![program.clone()];
        for argument in &self.arguments {
            arguments.push(wide(argument)?);
        }
        let mut line = command_line(arguments.iter().map(Vec::as_slice));
        let mut variables = Vec::new();
        for (name, value) in &self.environment {
            if !name.eq_ignore_ascii_case(TAG) {
                variables.push((wide(name)?, wide(value)?));
            }
        }
        variables.push((wide(OsStr::new(TAG))?, wide(OsStr::new(&self.kernel_id))?));
        let environment = environment_block(variables);
        let terminated = |mut text: Vec<u16>| {
            text.push(0);
            text
        };
        let (program, directory) = (terminated(program), terminated(wide(self.directory.as_os_str())?));

        let inherited = [input.as_raw_handle(), output.as_raw_handle()];
        let jobs = [job.as_raw_handle()];
        let mut attributes = Attributes::new(2)?;
        attributes.set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, &inherited)?;
        // In the job from its first instruction.
        attributes.set(PROC_THREAD_ATTRIBUTE_JOB_LIST, &jobs)?;
        // SAFETY: all zero is a valid value of both; the attribute list, what it points to, and every string outlive the
        // call, the strings end in NUL, and the line is ours to be written to. The handles that come back are ours.
        unsafe {
            let mut startup: STARTUPINFOEXW = zeroed();
            startup.StartupInfo.cb = size_of::<STARTUPINFOEXW>() as u32;
            // `wShowWindow` stays 0, which is SW_HIDE.
            startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES | STARTF_USESHOWWINDOW;
            startup.StartupInfo.hStdInput = input.as_raw_handle();
            startup.StartupInfo.hStdOutput = output.as_raw_handle();
            startup.StartupInfo.hStdError = output.as_raw_handle();
            startup.lpAttributeList = attributes.list();
            let mut created: PROCESS_INFORMATION = zeroed();
            checked(CreateProcessW(
                program.as_ptr(),
                line.as_mut_ptr(),
                null(),
                null(),
                1,
                CREATE_NEW_CONSOLE | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT,
                environment.as_ptr().cast(),
                directory.as_ptr(),
                &raw const startup.StartupInfo,
                &raw mut created,
            ))?;
            drop(OwnedHandle::from_raw_handle(created.hThread));
            Ok((created.dwProcessId, OwnedHandle::from_raw_handle(created.hProcess)))
        }
    }
}

/// Only for the moment of a start: who starts something without a list of handles gives away all such.
fn inheritable(handle: OwnedHandle) -> io::Result<OwnedHandle> {
    // SAFETY: an open handle, which stays ours.
    checked(unsafe { SetHandleInformation(handle.as_raw_handle(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) })?;
    Ok(handle)
}

fn watch_over(process: OwnedHandle, group: Group) -> io::Result<watch::Receiver<Option<Exit>>> {
    let (sender, exit) = watch::channel(None);
    let guard = LifeLine(group.clone());
    std::thread::Builder::new().name("evalcell-wait".into()).stack_size(64 * 1024).spawn(move || {
        let mut code = 0;
        // SAFETY: an open handle, kept for the whole time; the code is written to a local.
        let is_known = unsafe {
            WaitForSingleObject(process.as_raw_handle(), INFINITE);
            GetExitCodeProcess(process.as_raw_handle(), &raw mut code) != 0
        };
        // What it left behind.
        drop(guard);
        group.retire();
        sender.send_replace(Some(Exit { signal: None, code: is_known.then(|| code.cast_signed()) }));
    })?;
    Ok(exit)
}

fn wide(text: &OsStr) -> io::Result<Vec<u16>> {
    let wide: Vec<u16> = text.encode_wide().collect();
    if wide.contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a NUL in a process argument"));
    }
    Ok(wide)
}

/// The attributes of a new process.
struct Attributes(Vec<usize>);

impl Attributes {
    fn new(count: u32) -> io::Result<Self> {
        let mut bytes = 0;
        // SAFETY: the first call says how much room is needed; the second gets that much, aligned for pointers.
        unsafe {
            InitializeProcThreadAttributeList(null_mut(), count, 0, &raw mut bytes);
            let mut list = vec![0_usize; bytes.div_ceil(size_of::<usize>())];
            checked(InitializeProcThreadAttributeList(list.as_mut_ptr().cast(), count, 0, &raw mut bytes))?;
            Ok(Self(list))
        }
    }

    fn list(&mut self) -> LPPROC_THREAD_ATTRIBUTE_LIST {
        self.0.as_mut_ptr().cast()
    }

    /// The handles must outlive the list.
    fn set(&mut self, attribute: u32, handles: &[HANDLE]) -> io::Result<()> {
        // SAFETY: an initialised list; the handles are given with their size in bytes.
        checked(unsafe {
            UpdateProcThreadAttribute(
                self.list(),
                0,
                attribute as usize,
                handles.as_ptr().cast(),
                size_of_val(handles),
                null_mut(),
                null(),
            )
        })
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, deleted once.
        unsafe { DeleteProcThreadAttributeList(self.list()) }
    }
}
