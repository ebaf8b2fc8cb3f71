//! The gaps between arrivals as the load generator noticed them: whether they are those of the
//! schedule can be tested afterwards.

use std::collections::BTreeMap;

/// Of so many arrivals of a group, over all threads, it is kept when they were noticed: the first, so
/// that the memory for it does not grow.
pub(crate) const WATCHED: u64 = 201;

/// When the watched arrivals of a group were noticed on one thread.
#[derive(Debug)]
pub(crate) struct Noticed {
    /// Index of the group in the plan.
    pub(crate) group: usize,
    /// In nanoseconds since the step began.
    pub(crate) at_ns: Vec<u64>,
}

/// The gaps between the arrivals of each group, over all threads. A group without a gap is left out.
pub(crate) fn gaps_ns<'a>(noticed: impl Iterator<Item = &'a Noticed>) -> Vec<(usize, Vec<u64>)> {
    let mut groups: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for Noticed { group, at_ns } in noticed {
        groups.entry(*group).or_default().extend(at_ns);
    }
    let gaps = groups.into_iter().map(|(group, mut at_ns)| {
        at_ns.sort_unstable();
        let gaps = at_ns.windows(2).map(|pair| pair[1] - pair[0]);
        (group, gaps.collect::<Vec<_>>())
    });
    gaps.filter(|(_, gaps)| !gaps.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noticed(group: usize, at_ns: &[u64]) -> Noticed {
        let at_ns = at_ns.to_vec();
        Noticed { group, at_ns }
    }

    #[test]
    fn gaps_are_those_between_the_arrivals_of_all_threads() {
        let threads = [
            noticed(1, &[10, 40, 41]),
            noticed(3, &[5]),
            noticed(1, &[25, 100]),
        ];
        assert_eq!(gaps_ns(threads.iter()), [(1, vec![15, 15, 1, 59])]);
    }
}
