//! Benchmarks of docstone against its own budgets.
