//! Windows: a job object for each kernel, in place of groups and life pipes.
//!
//! Whatever a member of a job starts is in the job, and the end of a job's last handle ends its members. That handle is in
//! this process alone, so a kernel and everything it started goes when the host does, by whatever means it goes.
//!
//! A kernel gets a console of its own, hidden: without any, native libraries that ask for one hang while they are
//! imported; with the host's, or a visible one, a window flashes up.
//!
//! This is compiled in CI, and written from Microsoft's documentation; no test of this package has run it.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeWriter};
use std::mem::{size_of, zeroed};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::watch;
use windows_sys::Win32::Foundation::{HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::JobObjects::{
    CreateJobObjectW, IsProcessInJob, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_BASIC_PROCESS_ID_LIST,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_CONSOLE, CREATE_UNICODE_ENVIRONMENT, CreateProcessW, DeleteProcThreadAttributeList,
    EXTENDED_STARTUPINFO_PRESENT, GetExitCodeProcess, INFINITE, InitializeProcThreadAttributeList,
    LPPROC_THREAD_ATTRIBUTE_LIST, OpenProcess, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROC_THREAD_ATTRIBUTE_JOB_LIST,
    PROCESS_INFORMATION, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_TERMINATE, STARTF_USESHOWWINDOW,
    STARTF_USESTDHANDLES, STARTUPINFOEXW, TerminateProcess, UpdateProcThreadAttribute, WaitForSingleObject,
};

use super::command_line::{command_line, environment_block};
use super::{Exit, TAG};

/// No descriptor of a kernel is for its life.
pub const LIFE_DESCRIPTORS: &[i32] = &[];
/// What a process that was ended says it exited with.
const ENDED: u32 = 1;
/// Members of a job that are looked at in one go; more are met in the next.
const MEMBERS: usize = 1024;

/// What to start.
#[derive(Debug)]
pub struct Spawn {
    pub program: PathBuf,
    /// Without the program's own name.
    pub arguments: Vec<OsString>,
    /// The whole environment, nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    pub directory: PathBuf,
    /// The tag of the kernel it belongs to, also put in its environment.
    pub kernel_id: String,
}

/// A started child. Dropping it does not end it; its [`Group`] does.
#[derive(Debug)]
pub struct Child {
    pub pid: u32,
    pub group: Group,
    exit: watch::Receiver<Option<Exit>>,
}

impl Child {
    /// Resolves when the child has ended and what was left of its job has been ended. May be awaited many times.
    pub fn exited(&self) -> impl Future<Output = Exit> + Send + 'static {
        let mut exit = self.exit.clone();
        async move { exit.wait_for(Option::is_some).await.map_or_else(|_| Exit::default(), |exit| exit.unwrap_or_default()) }
    }
}

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

/// A job whose members end with its last handle.
fn new_job() -> io::Result<OwnedHandle> {
    // SAFETY: no attributes and no name are allowed; the handle that comes back is ours; all zero is a valid value of the
    // limits, whose size is given.
    unsafe {
        let job = CreateJobObjectW(null(), null());
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        let job = OwnedHandle::from_raw_handle(job);
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = zeroed();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        checked(SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32,
        ))?;
        Ok(job)
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

fn checked(succeeded: i32) -> io::Result<()> {
    if succeeded == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
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

/// Jobs that may still have members, so that one call can end them all.
static LIVE: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<Weak<Inner>>> {
    // A panic while holding this lock leaves the list whole: every change is one push or retain.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A kernel's job.
#[derive(Clone, Debug)]
pub struct Group(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    leader: u32,
    job: OwnedHandle,
}

impl Group {
    fn adopt(leader: u32, job: OwnedHandle) -> Self {
        let inner = Arc::new(Inner { leader, job });
        let mut live = live();
        live.retain(|group| group.strong_count() > 0);
        live.push(Arc::downgrade(&inner));
        Self(inner)
    }

    /// Ends every process of the job at once.
    pub fn kill(&self) {
        self.0.kill();
    }

    /// There are no signals: the runner takes interrupts from its frames.
    pub fn interrupt_leader(&self) -> bool {
        false
    }

    /// Ends every process of the job but its leader; returns how many.
    pub fn end_others(&self) -> usize {
        self.0.members().into_iter().filter(|pid| *pid != self.0.leader && self.0.end(*pid)).count()
    }

    fn retire(&self) {
        live().retain(|group| !std::ptr::eq(group.as_ptr(), Arc::as_ptr(&self.0)));
    }
}

impl Inner {
    fn kill(&self) {
        // SAFETY: an open handle.
        unsafe { TerminateJobObject(self.job.as_raw_handle(), ENDED) };
    }

    fn members(&self) -> Vec<u32> {
        #[repr(C)]
        struct List {
            head: JOBOBJECT_BASIC_PROCESS_ID_LIST,
            rest: [usize; MEMBERS - 1],
        }
        // SAFETY: all zero is a valid value. The structure ends in an array of one, behind which as many more stand as the
        // size says; where there are more members the call fails and has filled in those.
        unsafe {
            let mut list: Box<List> = Box::new(zeroed());
            QueryInformationJobObject(
                self.job.as_raw_handle(),
                JobObjectBasicProcessIdList,
                (&raw mut *list).cast(),
                size_of::<List>() as u32,
                null_mut(),
            );
            let count = (list.head.NumberOfProcessIdsInList as usize).min(MEMBERS);
            std::slice::from_raw_parts(list.head.ProcessIdList.as_ptr(), 1)
                .iter()
                .chain(&list.rest)
                .take(count)
                .map(|pid| *pid as u32)
                .collect()
        }
    }

    /// Ends a member. The id may have gone to a stranger since; membership is asked of the process that is then ended.
    fn end(&self, pid: u32) -> bool {
        // SAFETY: the handle that comes back is ours; the answer is written to a local.
        unsafe {
            let process = OpenProcess(PROCESS_TERMINATE | PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
            if process.is_null() {
                return false;
            }
            let process = OwnedHandle::from_raw_handle(process);
            let mut is_member = 0;
            IsProcessInJob(process.as_raw_handle(), self.job.as_raw_handle(), &raw mut is_member) != 0
                && is_member != 0
                && TerminateProcess(process.as_raw_handle(), ENDED) != 0
        }
    }
}

/// There are no groups that a number names.
pub fn kill_group(_pgid: i32) -> bool {
    false
}

/// Ends everything that any kernel of this process started. Returns how many jobs were alive.
pub fn kill_everything_now() -> usize {
    let groups: Vec<_> = live().iter().filter_map(Weak::upgrade).collect();
    for group in &groups {
        group.kill();
    }
    groups.len()
}
