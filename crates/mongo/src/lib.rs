//! The target on the official MongoDB driver, data set-up, and the private mongod.

pub mod private;
