//! Tests of `documents`.
