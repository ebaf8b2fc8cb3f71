//! Ctrl-C and termination: the first asks for an orderly end, the second ends at once.

use std::sync::Arc;

use docstone_engine::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::Exit;

/// Sets the interrupt flag on SIGINT, SIGTERM and SIGHUP; a second one ends the process.
///
/// # Errors
/// If the handlers cannot be installed.
pub(crate) fn install(interrupt: &Interrupt) -> std::io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let status = i32::from(Exit::Interrupted.code());
        let _ = flag::register_conditional_shutdown(signal, status, interrupt.flag())?;
        let _ = flag::register(signal, Arc::clone(&interrupt.flag()))?;
    }
    Ok(())
}
