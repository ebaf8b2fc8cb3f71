//! Tasks of the docstone workspace.
fn main() {}
