//! Samplers of the client process and its host.
//!
//! Owns what this machine says of itself: CPU time and memory of the process, how busy the host
//! is, and what the machine is. Knows nothing of servers. What cannot be read is `None`, never 0.

mod host;
mod machine;
mod process;
mod window;

pub use host::HostSample;
pub use machine::Machine;
pub use process::{ProcessClock, ProcessSample};
pub use window::{ClientUse, Window};
