//! Starts kernels for a session.
use super::host::NodeHost;
use crate::kernel::session::{StartFailure, Starter};
use crate::kernel::{BoxFuture, Driver};
use crate::language::Language;
use crate::options::Options;
use std::sync::Arc;

pub struct NodeStarter {
    options: Arc<Options>,
    host: Arc<NodeHost>,
}
impl NodeStarter {
    pub fn new(options: Arc<Options>, host: Arc<NodeHost>) -> Self {
        Self { options, host }
    }
}
impl Starter for NodeStarter {
    fn start(
        &self,
        _language: Language,
        _kernel_id: &str,
    ) -> BoxFuture<'static, Result<Arc<dyn Driver>, StartFailure>> {
        let _ = (&self.options, &self.host);
        Box::pin(async { Err(StartFailure { message: "not yet".into(), died_at_boot: false }) })
    }
}
pub fn python_available(_options: &Options) -> Box<dyn Fn() -> Result<(), String> + Send + Sync> {
    Box::new(|| Ok(()))
}
