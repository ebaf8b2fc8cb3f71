//! Tests of `workload`.
