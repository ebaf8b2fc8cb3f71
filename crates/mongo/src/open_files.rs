//! The limit of open files of this process: compared with what is needed, and raised where it may
//! be.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More open files are needed than this process may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooFew {
    pub(crate) needed: u64,
    /// What the limit can be raised to.
    pub(crate) allowed: u64,
}

impl TooFew {
    /// How to get more of them. A limit that docstone itself may not raise is a hard one.
    pub(crate) fn cure(self) -> String {
        format!(
            "raise the limit with `ulimit -n {}` in a shell whose own hard limit (`ulimit -Hn`) \
             allows that",
            self.needed
        )
    }
}

/// The most files that this process may open; `None` is no limit.
pub fn file_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// True if so many files can be open, by raising the soft limit if need be.
pub(crate) fn may_have(needed: u64) -> bool {
    let limit = getrlimit(Resource::Nofile);
    plan_file_limit(needed, limit.current, limit.maximum) != FileLimit::Short
}

/// Sees to it that so many files can be open, by raising the soft limit if need be; returns what
/// it was raised from and to.
pub(crate) fn allow(needed: u64) -> Result<Option<(u64, u64)>, TooFew> {
    let limit = getrlimit(Resource::Nofile);
    let too_few = |allowed: Option<u64>| TooFew {
        needed,
        allowed: allowed.unwrap_or(0),
    };
    match plan_file_limit(needed, limit.current, limit.maximum) {
        FileLimit::Enough => Ok(None),
        FileLimit::Raise(to) => {
            let raised = Rlimit {
                current: Some(to),
                maximum: limit.maximum,
            };
            setrlimit(Resource::Nofile, raised).map_err(|_| too_few(limit.current))?;
            Ok(Some((limit.current.unwrap_or(0), to)))
        }
        FileLimit::Short => Err(too_few(limit.maximum)),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum FileLimit {
    Enough,
    Raise(u64),
    Short,
}

/// `None` is no limit.
fn plan_file_limit(needed: u64, soft: Option<u64>, hard: Option<u64>) -> FileLimit {
    match (soft, hard) {
        (None, _) => FileLimit::Enough,
        (Some(soft), _) if soft >= needed => FileLimit::Enough,
        (Some(_), None) => FileLimit::Raise(needed),
        (Some(_), Some(hard)) if hard >= needed => FileLimit::Raise(hard),
        _ => FileLimit::Short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_is_raised_only_where_that_is_enough() {
        assert_eq!(
            plan_file_limit(500, Some(1024), Some(4096)),
            FileLimit::Enough
        );
        assert_eq!(
            plan_file_limit(2000, Some(1024), Some(4096)),
            FileLimit::Raise(4096)
        );
        assert_eq!(
            plan_file_limit(5000, Some(1024), Some(4096)),
            FileLimit::Short
        );
        assert_eq!(
            plan_file_limit(5000, Some(1024), None),
            FileLimit::Raise(5000)
        );
        assert_eq!(plan_file_limit(5000, None, None), FileLimit::Enough);
    }
}
