//! Tests of whole runs against a scripted target.
