//! The vocabulary of docstone: the plan, the record formats and the events of a run.
