//! What the tests need from the system: a Java log processor and an Arm C compiler.
//! Owns the probes and the apt packages; what is there already is not touched.

use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process;

/// One thing that a check needs.
struct Need {
    /// What it is for, as the middle of a sentence.
    purpose: &'static str,
    /// How to see that it is there.
    probe: Probe,
    /// The Debian or Ubuntu package that brings it.
    package: &'static str,
}

enum Probe {
    Program(&'static str),
    File(&'static str),
}

impl Probe {
    fn holds(&self) -> bool {
        match self {
            Self::Program(name) => process::on_path(name).is_some(),
            Self::File(path) => Path::new(path).is_file(),
        }
    }
}

const JAVA: [Need; 2] = [
    Need {
        purpose: "the HdrHistogram log processor, which must read our latency logs",
        probe: Probe::File("/usr/share/java/hdrhistogram.jar"),
        package: "libhdrhistogram-java",
    },
    Need {
        purpose: "a Java runtime for the log processor",
        probe: Probe::Program("java"),
        package: "default-jre-headless",
    },
];

/// Two packages, since apt only recommends the C headers, and the C code of zstd includes them.
const CROSS_COMPILER: [Need; 2] = [
    Need {
        purpose: "a C compiler for the check on Arm",
        probe: Probe::Program("aarch64-linux-gnu-gcc"),
        package: "gcc-aarch64-linux-gnu",
    },
    Need {
        purpose: "the C headers for the check on Arm",
        probe: Probe::File("/usr/aarch64-linux-gnu/include/string.h"),
        package: "libc6-dev-arm64-cross",
    },
];

/// Installs with apt what the tests need and this machine lacks.
///
/// # Errors
///
/// When something is lacking and apt cannot bring it; names it, what it is for, and the cure.
pub(crate) fn install_missing() -> Result<()> {
    // On an Arm machine the plain compiler is the one for Arm.
    let cross: &[Need] = if env::consts::ARCH == "aarch64" {
        &[]
    } else {
        &CROSS_COMPILER
    };
    let needs = || JAVA.iter().chain(cross);
    let missing = missing(needs(), Probe::holds);
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    if let Err(error) = install(&packages) {
        bail!(
            "missing: {} ({error:#}); install by hand: apt-get install {}",
            purposes(&missing),
            packages.join(" ")
        );
    }
    let still = self::missing(needs(), Probe::holds);
    if !still.is_empty() {
        bail!(
            "apt installed its packages, and still missing: {}",
            purposes(&still)
        );
    }
    Ok(())
}

fn missing<'need>(
    needs: impl Iterator<Item = &'need Need>,
    holds: impl Fn(&Probe) -> bool,
) -> Vec<&'need Need> {
    needs.filter(|need| !holds(&need.probe)).collect()
}

fn purposes(needs: &[&Need]) -> String {
    let purposes: Vec<&str> = needs.iter().map(|need| need.purpose).collect();
    purposes.join("; ")
}

fn install(packages: &[&str]) -> Result<()> {
    if process::on_path("apt-get").is_none() {
        bail!("there is no `apt-get`");
    }
    eprintln!("installing {}", packages.join(", "));
    process::output(apt()?.arg("update"))?;
    let mut install = apt()?;
    install.args(["install", "--yes", "--no-install-recommends"]);
    process::output(install.args(packages))?;
    Ok(())
}

/// apt-get as root: as we are, or by sudo. Without a terminal nobody can type a password.
fn apt() -> Result<Command> {
    let mut command = if rustix::process::geteuid().is_root() {
        Command::new("env")
    } else if process::on_path("sudo").is_some() {
        let mut sudo = Command::new("sudo");
        if !io::stdin().is_terminal() {
            sudo.arg("--non-interactive");
        }
        sudo.arg("env");
        sudo
    } else {
        bail!("apt-get needs root, this is another user, and there is no `sudo`");
    };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]);
    command.args(["-o", "DPkg::Lock::Timeout=120"]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_asked_for() {
        let lacking = missing(JAVA.iter(), |probe| matches!(probe, Probe::File(_)));
        let packages: Vec<&str> = lacking.iter().map(|need| need.package).collect();
        assert_eq!(packages, ["default-jre-headless"]);
        assert!(missing(JAVA.iter(), |_| true).is_empty());
    }

    #[test]
    fn purposes_are_named_in_the_order_of_the_list() {
        let all = missing(CROSS_COMPILER.iter(), |_| false);
        let text = purposes(&all);
        assert!(text.starts_with("a C compiler"));
        assert!(text.contains("; the C headers"));
    }

    #[test]
    fn probes_see_programs_and_files() {
        assert!(Probe::Program("sh").holds());
        assert!(Probe::File("/etc/passwd").holds());
        assert!(!Probe::Program("no-such-program-here").holds());
        assert!(!Probe::File("/etc").holds());
    }
}
