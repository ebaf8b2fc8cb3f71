//! The time of day, for records.

use jiff::Timestamp;

/// The time to the millisecond: what is below is noise in a record.
pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}
