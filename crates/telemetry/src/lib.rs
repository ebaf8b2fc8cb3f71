//! Samplers of the client process and its host.
