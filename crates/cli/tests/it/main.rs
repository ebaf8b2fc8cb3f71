//! The binary as its users meet it: every test starts `docstone` and looks at what it printed, what
//! it wrote, and what a real mongod has seen of it.

mod support;

mod counts;
mod data;
mod records;
mod run;
