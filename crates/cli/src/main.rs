//! The binary `docstone`.
fn main() {}
