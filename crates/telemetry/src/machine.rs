//! What this machine is: the facts that numbers depend on.

use std::num::NonZero;
use std::thread::available_parallelism;

use procfs::{CpuInfo, Current, Meminfo};
use rustix::param::page_size;
use rustix::system::uname;

/// The machine that docstone runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Host name.
    pub host: String,
    /// CPU architecture, such as `x86_64` or `aarch64`.
    pub arch: String,
    /// CPU model; on Arm, which has no names, the codes of implementer and part.
    pub cpu_model: Option<String>,
    /// Cores that this process may use, by affinity and control group.
    pub cores: u32,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Size of a memory page in bytes: 4 KiB on x86, up to 64 KiB on Arm.
    pub page_size_bytes: u64,
    /// Name and release of the kernel.
    pub kernel: Option<String>,
}

impl Machine {
    /// Reads this machine.
    pub fn read() -> Self {
        let name = uname();
        let text = |field: &std::ffi::CStr| field.to_string_lossy().into_owned();
        let kernel = format!("{} {}", text(name.sysname()), text(name.release()));
        Self {
            host: text(name.nodename()),
            arch: std::env::consts::ARCH.to_owned(),
            cpu_model: CpuInfo::current().ok().as_ref().and_then(cpu_model),
            cores: available_parallelism()
                .map_or(1, NonZero::get)
                .try_into()
                .unwrap_or(u32::MAX),
            memory_bytes: Meminfo::current().ok().map(|memory| memory.mem_total),
            page_size_bytes: page_size() as u64,
            kernel: (!kernel.trim().is_empty()).then_some(kernel),
        }
    }
}

/// The model of the first core. 64-bit Arm kernels print no model name, only codes.
fn cpu_model(info: &CpuInfo) -> Option<String> {
    let field = |name: &str| {
        let value = info.fields.get(name);
        value
            .or_else(|| info.cpus.first().and_then(|cpu| cpu.get(name)))
            .filter(|value| !value.is_empty())
    };
    if let Some(model) = field("model name") {
        return Some(model.clone());
    }
    let implementer = field("CPU implementer")?;
    Some(match field("CPU part") {
        Some(part) => format!("CPU implementer {implementer}, part {part}"),
        None => format!("CPU implementer {implementer}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use procfs::FromBufRead;

    fn model_of(text: &str) -> Option<String> {
        cpu_model(&CpuInfo::from_buf_read(text.as_bytes()).expect("form of /proc/cpuinfo"))
    }

    #[test]
    fn x86_tells_a_model_name() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\n\n\
                    processor\t: 1\nmodel name\t: Some CPU @ 2.0GHz\n\n";
        assert_eq!(model_of(text).as_deref(), Some("Some CPU @ 2.0GHz"));
    }

    #[test]
    fn arm_is_named_by_its_codes_also_where_cores_differ() {
        let core = |n: u32, part: &str| {
            format!("processor\t: {n}\nCPU implementer\t: 0x41\nCPU part\t: {part}\n\n")
        };
        let same = core(0, "0xd0c") + &core(1, "0xd0c");
        let expected = Some("CPU implementer 0x41, part 0xd0c");
        assert_eq!(model_of(&same).as_deref(), expected);
        let mixed = core(0, "0xd0c") + &core(1, "0xd49");
        assert_eq!(model_of(&mixed).as_deref(), expected);
    }

    #[test]
    fn a_model_that_is_not_told_is_unknown() {
        assert_eq!(model_of("processor\t: 0\nBogoMIPS\t: 50\n\n"), None);
        assert_eq!(model_of(""), None);
    }

    #[test]
    fn this_machine_can_be_read() {
        let machine = Machine::read();
        assert!(!machine.host.is_empty());
        assert!(machine.cores >= 1);
        assert!(machine.page_size_bytes.is_power_of_two());
        assert!(machine.memory_bytes.expect("Linux has /proc/meminfo") > 1 << 20);
        let kernel = machine.kernel.expect("uname tells it");
        assert!(kernel.starts_with("Linux "), "{kernel}");
    }
}
