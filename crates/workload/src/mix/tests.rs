//! Tests of `mix`.
