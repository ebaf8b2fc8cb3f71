//! What the set-up of a collection tells while it goes on.

/// How far the set-up of one collection is.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupProgress {
    /// The collection.
    pub collection: String,
    /// What is going on.
    pub stage: SetupStage,
    /// Documents of the plan that are known to be there.
    pub loaded: u64,
    /// Documents of the plan.
    pub total: u64,
    /// Seconds since the loading of this collection began.
    pub elapsed_s: f64,
}

/// Stages of the set-up of one collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupStage {
    /// Documents are inserted; those that are there already are left alone.
    Load,
    /// Indexes are built.
    Index,
    /// The collection is ready.
    Done,
}
