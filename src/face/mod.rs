//! face
pub mod js_worker;
pub mod js_worker_port;
pub mod js_worker_starter;
pub mod js_worker_probe;
