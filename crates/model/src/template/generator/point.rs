//! `$point`: a place on the globe.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;

/// A `GeoJSON` point within a box, each part of its area with the same probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The smallest longitude in degrees.
    #[serde(default = "west")]
    pub west: f64,
    /// The largest longitude.
    #[serde(default = "east")]
    pub east: f64,
    /// The smallest latitude in degrees.
    #[serde(default = "south")]
    pub south: f64,
    /// The largest latitude.
    #[serde(default = "north")]
    pub north: f64,
}

fn west() -> f64 {
    -180.0
}

fn east() -> f64 {
    180.0
}

fn south() -> f64 {
    -90.0
}

fn north() -> f64 {
    90.0
}

impl Arguments for Point {
    fn fault(&self) -> Option<String> {
        for (low, from, high, until, most) in [
            ("west", self.west, "east", self.east, 180.0),
            ("south", self.south, "north", self.north, 90.0),
        ] {
            let inside = |degrees: f64| (-most..=most).contains(&degrees);
            if !inside(from) || !inside(until) || from > until {
                return Some(format!(
                    "`{low}` and `{high}` must lie between -{most} and {most} degrees, `{low}` not \
                     above `{high}`"
                ));
            }
        }
        None
    }

    /// `{type: "Point", coordinates: [LONGITUDE, LATITUDE]}`.
    fn largest_bytes(&self) -> u64 {
        61
    }

    fn values(&self) -> f64 {
        1e15
    }
}
