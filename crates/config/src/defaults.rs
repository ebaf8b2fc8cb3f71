//! What holds where nothing is given, and the limits of what may be.

/// The limit for reaching the target at the start.
pub(crate) use docstone_model::plan::CONNECT_TIMEOUT_NS;

/// The seed.
pub(crate) const SEED: u64 = 1;
/// The limit of one operation: 30 s.
pub(crate) const TIMEOUT_NS: u64 = 30_000_000_000;
/// How long operations in flight may take after the end: 10 s.
pub(crate) const DRAIN_NS: u64 = 10_000_000_000;
/// The largest number of operations that a step has in flight, of all its groups together: its
/// workers, or its iterations in flight, times what one iteration has in flight at once. More
/// cannot be stopped in time by one machine, and each holds a connection here and at the server.
pub(crate) const MAX_CONCURRENCY: u32 = 100_000;
/// The largest number of documents of a collection, and of operations of a step: sums and
/// products of several still fit 64 bits.
pub(crate) const MAX_COUNT: u64 = 1_000_000_000_000_000;
/// The length of an interval of a random rate, and of jittered arrivals: 1 s.
pub(crate) const INTERVAL_NS: u64 = 1_000_000_000;
/// The age of the oldest waiting arrival from which on a growing backlog ends the step: 30 s.
pub(crate) const GIVE_UP_AFTER_NS: u64 = 30_000_000_000;
/// The shortest duration of a step: shorter ones measure the start, not the server.
pub(crate) const SHORTEST_STEP_NS: u64 = 100_000_000;
