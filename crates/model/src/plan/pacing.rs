//! How load threads wait for the next arrival of open load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How load threads wait for the next arrival of open load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pacing {
    /// They sleep until a timer wakes them, some tens of microseconds late.
    #[default]
    Timer,
    /// They look at the clock over and over for the last part of the wait, which takes up to a core
    /// for each thread.
    Spin,
}

impl Pacing {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timer => "timer",
            Self::Spin => "spin",
        }
    }
}
