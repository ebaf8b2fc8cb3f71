//! Samplers of the client process and its host.
//!
//! Owns what this machine says of itself: CPU time and memory of the process and its threads, how
//! busy the host and its links are, and what the machine is. Knows nothing of servers. What cannot be read is `None`, never 0.

mod cores;
mod host;
mod link;
mod machine;
mod process;
mod threads;
mod window;

pub use cores::available_cores;
pub use host::HostSample;
pub use machine::Machine;
pub use process::{ProcessClock, ProcessSample};
pub use threads::ThreadUse;
pub use window::{ClientUse, Window};
