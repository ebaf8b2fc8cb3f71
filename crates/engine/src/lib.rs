//! One trial against any target: workers, recorders, phases and accounting.
