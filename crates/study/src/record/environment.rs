//! What the numbers depend on: the client's part from this machine, the rest from the target.

use docstone_engine::TargetDescription;
use docstone_model::record::EnvironmentRecord;
use docstone_telemetry::Machine;

/// The machine and this program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// The machine.
    pub(crate) machine: &'a Machine,
    /// docstone's version.
    pub(crate) version: &'a str,
    /// docstone's build.
    pub(crate) build: &'a str,
}

/// The whole environment.
pub(crate) fn environment(
    Surroundings {
        machine,
        version,
        build,
    }: Surroundings<'_>,
    target: &TargetDescription,
) -> EnvironmentRecord {
    EnvironmentRecord {
        docstone_version: version.to_owned(),
        docstone_build: build.to_owned(),
        host: machine.host.clone(),
        cpu_model: machine.cpu_model.clone(),
        cores: machine.cores,
        arch: machine.arch.clone(),
        memory_bytes: machine.memory_bytes,
        page_size_bytes: machine.page_size_bytes,
        kernel: machine.kernel.clone(),
        ..target.environment.clone()
    }
}
