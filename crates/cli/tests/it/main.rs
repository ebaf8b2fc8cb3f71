//! The binary as its users meet it: every test starts `docstone` and looks at what it printed, what
//! it wrote, and what a real mongod has seen of it.

mod support;

mod closed;
mod config_errors;
mod counts;
mod data;
mod drill;
mod failures;
mod generators;
mod guards;
mod help;
mod idealo;
mod interrupt;
mod keys;
mod limits;
mod open;
mod operations;
mod outage;
mod payloads;
mod plan;
mod reach;
mod ready;
mod records;
mod run;
mod scenarios;
mod secrets;
mod selftest;
mod server;
mod validity;
