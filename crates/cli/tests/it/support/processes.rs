//! Processes of this machine, by `/proc`.

use std::fs;

/// The arguments of a process, separated by spaces; `None` if there is no such process.
pub(crate) fn command_line(pid: u32) -> Option<String> {
    let raw = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let arguments: Vec<_> = raw
        .split(|byte| *byte == 0)
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect();
    Some(arguments.join(" ").trim_end().to_owned())
}

/// True while there is a process of this number that has not ended.
pub(crate) fn process_exists(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.as_bytes()[0]);
    !matches!(state, None | Some(b'Z' | b'X'))
}

/// The processes whose arguments have this text.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("/proc");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| command_line(*pid).is_some_and(|line| line.contains(text)))
        .filter(|pid| process_exists(*pid))
        .collect()
}

/// A core that this process may use.
pub(crate) fn first_core() -> String {
    let own = rustix::thread::sched_getaffinity(None).expect("an affinity");
    let first = (0..rustix::thread::CpuSet::MAX_CPU).find(|core| own.is_set(*core));
    first.expect("a core to run on").to_string()
}
