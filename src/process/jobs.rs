//! Job objects, the groups of Windows.

use std::io;
use std::mem::{size_of, zeroed};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use windows_sys::Win32::System::JobObjects::{
    CreateJobObjectW, IsProcessInJob, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_BASIC_PROCESS_ID_LIST,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_TERMINATE, TerminateProcess,
};

/// What a process that was ended says it exited with.
const ENDED: u32 = 1;
/// Members of a job that are looked at in one go; more are met in the next.
const MEMBERS: usize = 1024;

/// A job whose members end with its last handle.
pub(super) fn new_job() -> io::Result<OwnedHandle> {
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

/// The system's error when a call has failed.
pub(super) fn checked(succeeded: i32) -> io::Result<()> {
    if succeeded == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
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
    pub(super) fn adopt(leader: u32, job: OwnedHandle) -> Self {
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

    pub(super) fn retire(&self) {
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
