//! A workload file of small parts, for tests of single rules.

use super::*;

/// A file of small parts; each can be replaced.
pub(super) struct Parts<'a> {
    pub(super) data: &'a str,
    pub(super) operations: &'a str,
    pub(super) scenario: &'a str,
    pub(super) load: &'a str,
    pub(super) more: &'a str,
}

pub(super) const PARTS: Parts<'static> = Parts {
    data: "{c: {count: 10, document: {fields: {n: 1}}}}",
    operations: "{o: {count: {collection: c}}}",
    scenario: "",
    load: "[{closed: {concurrency: 1}, duration: 1s}]",
    more: "",
};

impl Parts<'_> {
    pub(super) fn text(&self) -> String {
        let scenario = match self.scenario {
            "" => String::new(),
            scenario => format!("scenario: {scenario}\n"),
        };
        format!(
            "target: private\ndata: {}\noperations: {}\n{scenario}load: {}\n{}\n",
            self.data, self.operations, self.load, self.more
        )
    }

    pub(super) fn plan(&self) -> Plan {
        plan(&self.text())
    }

    /// The one message that the file gives.
    pub(super) fn wrong(&self) -> String {
        let messages = messages(&self.text(), &Overrides::default());
        assert_eq!(messages.len(), 1, "{messages:#?}");
        messages[0].clone()
    }

    /// All mistakes of the file, as they are shown.
    pub(super) fn mistakes(&self) -> String {
        let refused = plan_from_text("f.yaml", &self.text(), &Overrides::default(), &no_env);
        refused.expect_err("it is wrong").render(false)
    }
}

pub(super) fn data(data: &str) -> String {
    Parts { data, ..PARTS }.wrong()
}

pub(super) fn operation(operation: &str) -> String {
    let operations = &format!("{{o: {operation}}}");
    Parts {
        operations,
        ..PARTS
    }
    .wrong()
}

pub(super) fn load(load: &str) -> String {
    Parts { load, ..PARTS }.wrong()
}
