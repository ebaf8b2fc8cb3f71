//! YAML, JSON and command lines to a resolved plan, with all errors at once.
