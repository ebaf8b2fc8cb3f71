//! A server for the self-test: answers the wire protocol on the loopback address, from memory.
//!
//! What is measured against it holds the cost of the driver, of encoding and of the sockets, which
//! no stub behind the driver could show. It stores nothing and looks nothing up; its own CPU time
//! is told apart, since its threads run on the machine that is measured.

mod replies;
mod server;
mod target;
mod wire;

pub use target::StubTarget;
