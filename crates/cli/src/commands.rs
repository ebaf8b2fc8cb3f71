//! One file per command.

pub(crate) mod demo;
pub(crate) mod idealo;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod selftest;
pub(crate) mod server;
pub(crate) mod texts;
