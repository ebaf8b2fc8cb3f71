//! The old tools' command lines, resolved to the same plan as a workload file.

pub mod idealo;
