//! Realistic plans, records and intervals for tests.
