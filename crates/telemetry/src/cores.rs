//! How many cores this process may use: by affinity (`taskset`) and by the quota of its control
//! group, which need not be a whole number.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use procfs::process::Process;
use rustix::thread::sched_getaffinity;

/// Where control groups are mounted.
const MOUNT: &str = "/sys/fs/cgroup";

/// The cores that this process may use, at least a hundredth; `None` where the kernel does not
/// tell.
pub fn available_cores() -> Option<f64> {
    let affinity = sched_getaffinity(None).ok()?;
    let cores = f64::from(affinity.count());
    Some(quota().map_or(cores, |quota| quota.min(cores)).max(0.01))
}

/// The least quota of the control groups that hold this process.
fn quota() -> Option<f64> {
    let groups = Process::myself().and_then(|process| process.cgroups()).ok();
    let mut least: Option<f64> = None;
    for group in groups.into_iter().flatten() {
        let quotas = if group.hierarchy == 0 {
            quotas_up_from(Path::new(MOUNT), &group.pathname, quota_of_v2)
        } else if group.controllers.iter().any(|name| name == "cpu") {
            quotas_up_from(&Path::new(MOUNT).join("cpu"), &group.pathname, quota_of_v1)
        } else {
            continue;
        };
        least = quotas.into_iter().chain(least).reduce(f64::min);
    }
    least
}

/// The quotas of a group and of all that it is part of. In a container the path may be that of
/// the host: what does not exist has no quota, and the mount itself is the container's.
fn quotas_up_from(mount: &Path, path: &str, of: fn(&Path) -> Option<f64>) -> Vec<f64> {
    let group: PathBuf = mount.join(path.trim_start_matches('/'));
    let up = group.ancestors().take_while(|at| at.starts_with(mount));
    up.filter_map(of).collect()
}

fn quota_of_v2(group: &Path) -> Option<f64> {
    let text = read_to_string(group.join("cpu.max")).ok()?;
    let (quota, period) = text.trim().split_once(' ')?;
    ratio(quota, period)
}

fn quota_of_v1(group: &Path) -> Option<f64> {
    let read = |name: &str| read_to_string(group.join(name)).ok();
    ratio(
        read("cpu.cfs_quota_us")?.trim(),
        read("cpu.cfs_period_us")?.trim(),
    )
}

/// `None` for no limit, which is `max` or -1.
fn ratio(quota: &str, period: &str) -> Option<f64> {
    let quota: f64 = quota.parse().ok()?;
    let period: f64 = period.parse().ok()?;
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_may_use_some_cores_and_no_more_than_there_are() {
        let cores = available_cores().expect("Linux tells the affinity");
        assert!((0.01..=4096.0).contains(&cores), "{cores}");
    }

    #[test]
    fn a_thread_that_is_bound_to_one_core_has_one() {
        let mut one = rustix::thread::CpuSet::new();
        let all = sched_getaffinity(None).expect("an affinity");
        let first = (0..rustix::thread::CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu));
        one.set(first.expect("a core to run on"));
        let bound = std::thread::spawn(move || {
            rustix::thread::sched_setaffinity(None, &one).expect("one of its own cores");
            available_cores()
        });
        let cores = bound.join().expect("no panic").expect("an affinity");
        assert!(cores <= 1.0, "{cores}");
    }

    #[test]
    fn a_quota_is_a_share_of_a_period_and_max_or_minus_one_is_none() {
        assert_eq!(ratio("150000", "100000"), Some(1.5));
        assert_eq!(ratio("max", "100000"), None);
        assert_eq!(ratio("-1", "100000"), None);
    }
}
