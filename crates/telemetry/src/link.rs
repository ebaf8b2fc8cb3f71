//! How busy the network links of this machine are, all processes together.
//!
//! Only of interfaces that belong to a device and whose speed the kernel tells: that of virtual
//! ones is made up, and most virtual machines tell none.

use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::path::Path;
use std::time::Instant;

/// The bytes that went over each link so far.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    at: Instant,
    links: BTreeMap<String, Link>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    received_bytes: u64,
    sent_bytes: u64,
    speed_mbit_per_s: u64,
}

impl Links {
    pub(crate) fn now() -> Self {
        let devices = procfs::net::dev_status().unwrap_or_default();
        let link = |(name, device): (String, procfs::net::DeviceStatus)| {
            let speed_mbit_per_s = speed(&Path::new("/sys/class/net").join(&name))?;
            let link = Link {
                received_bytes: device.recv_bytes,
                sent_bytes: device.sent_bytes,
                speed_mbit_per_s,
            };
            Some((name, link))
        };
        Self {
            at: Instant::now(),
            links: devices.into_iter().filter_map(link).collect(),
        }
    }

    /// The busiest direction of the busiest link since `earlier`, as a share of its speed;
    /// `None` where no link tells its speed.
    pub(crate) fn busiest_share_since(&self, earlier: &Self) -> Option<f64> {
        let elapsed_s = self.at.duration_since(earlier.at).as_secs_f64();
        let share =
            |(name, link): (&String, &Link)| share(earlier.links.get(name)?, link, elapsed_s);
        self.links.iter().filter_map(share).reduce(f64::max)
    }
}

fn share(before: &Link, after: &Link, elapsed_s: f64) -> Option<f64> {
    let received = after.received_bytes.checked_sub(before.received_bytes)?;
    let sent = after.sent_bytes.checked_sub(before.sent_bytes)?;
    let bits_per_s = received.max(sent) as f64 * 8.0 / elapsed_s;
    (elapsed_s > 0.0).then(|| bits_per_s / (after.speed_mbit_per_s as f64 * 1e6))
}

/// The speed of an interface in Mbit/s; `None` for one without a device or without a speed, which
/// reads as -1 or not at all.
fn speed(interface: &Path) -> Option<u64> {
    if !interface.join("device").exists() {
        return None;
    }
    let text = read_to_string(interface.join("speed")).ok()?;
    text.trim().parse().ok().filter(|speed| *speed > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busier_direction_counts_against_the_speed() {
        let link = |received_bytes, sent_bytes| Link {
            received_bytes,
            sent_bytes,
            speed_mbit_per_s: 1_000,
        };
        let of = share(
            &link(100, 100),
            &link(100 + 1_000_000, 100 + 250_000_000),
            4.0,
        );
        assert_eq!(of, Some(0.5), "500 of 1,000 Mbit/s");
        assert_eq!(share(&link(5, 0), &link(1, 0), 1.0), None, "counted anew");
        assert_eq!(share(&link(0, 0), &link(1, 0), 0.0), None);
    }

    #[test]
    fn an_interface_without_a_device_or_speed_is_left_out() {
        let folder = std::env::temp_dir().join(format!("docstone-link-{}", std::process::id()));
        let write = |speed: &str| std::fs::write(folder.join("speed"), speed).expect("room");
        std::fs::create_dir_all(&folder).expect("a folder");
        write("10000\n");
        assert_eq!(speed(&folder), None, "no device");
        std::fs::create_dir_all(folder.join("device")).expect("a folder");
        assert_eq!(speed(&folder), Some(10_000));
        write("-1\n");
        assert_eq!(speed(&folder), None);
        std::fs::remove_dir_all(&folder).expect("a folder of this test");
    }
}
