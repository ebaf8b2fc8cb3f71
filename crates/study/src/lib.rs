//! The facade that runs a plan, and the store of its records.
