//! Actions of a load step: what is done to the deployment while the load goes on.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::secret::REDACTED;

/// Keys of a command whose values are secrets.
const SECRET_KEYS: [&str; 3] = ["pwd", "password", "passwd"];

/// Something that is done to the deployment at a time of a load step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionPlan {
    /// Its name; unique in the step.
    pub name: String,
    /// When it starts, in nanoseconds since the step began.
    pub at_ns: u64,
    /// What is done.
    pub kind: ActionKind,
    /// How long it lasts before it is undone, in nanoseconds. What can be undone and has no such
    /// time is undone when the load of the step has ended.
    pub lasts_ns: Option<u64>,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ActionKind {
    /// A command to the database `admin` of the primary.
    Command(AdminCommand),
    /// A command line for `sh -c`, on this machine.
    Run(HookText),
    /// A signal to members of a private server.
    Signal {
        /// Which signal.
        signal: MemberSignal,
        /// To whom.
        member: MemberChoice,
    },
}

impl ActionKind {
    /// `command`, `run` or `signal`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Run(_) => "run",
            Self::Signal { .. } => "signal",
        }
    }

    /// What is done, without secrets: a command as JSON, a command line, a signal and its target.
    pub fn text(&self) -> String {
        match self {
            Self::Command(command) => command.shown().to_string(),
            Self::Run(hook) => hook.shown().to_owned(),
            Self::Signal { signal, member } => format!("{} {}", signal.name(), member.text()),
        }
    }

    /// True for what is undone afterwards: a lock, and what a signal did to a process.
    pub fn can_be_undone(&self) -> bool {
        match self {
            Self::Command(command) => command.locks(),
            Self::Run(_) => false,
            Self::Signal { .. } => true,
        }
    }
}

/// A signal to a mongod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemberSignal {
    /// SIGSTOP: its connections stay open and nothing is answered.
    Stop,
    /// SIGTERM: it ends in order.
    Terminate,
    /// SIGKILL: it ends as by a loss of power of the process.
    Kill,
}

impl MemberSignal {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Terminate => "terminate",
            Self::Kill => "kill",
        }
    }
}

/// Members of a private server, chosen when the action starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemberChoice {
    /// The member that is primary.
    Primary,
    /// The first member that is a secondary.
    Secondary,
    /// All members that are secondaries.
    Secondaries,
    /// The member of this number, from 0.
    Number(u32),
}

impl MemberChoice {
    /// `primary`, `secondary`, `secondaries` or `member 2`.
    pub fn text(self) -> String {
        match self {
            Self::Primary => "primary".to_owned(),
            Self::Secondary => "secondary".to_owned(),
            Self::Secondaries => "secondaries".to_owned(),
            Self::Number(number) => format!("member {number}"),
        }
    }
}

/// A command in Extended JSON. Values of keys such as `pwd` are never printed.
#[derive(Clone, PartialEq, JsonSchema)]
#[schemars(transparent)]
pub struct AdminCommand(Value);

impl AdminCommand {
    /// Wraps a map whose first key is the command's name.
    pub fn new(command: Value) -> Self {
        Self(command)
    }

    /// The command with its secrets, for the code that sends it.
    pub fn expose(&self) -> &Value {
        &self.0
    }

    /// Its name; empty for what is no map.
    pub fn name(&self) -> &str {
        let first = self.0.as_object().and_then(|map| map.keys().next());
        first.map_or("", String::as_str)
    }

    /// True for `{fsync: 1, lock: true}`.
    pub fn locks(&self) -> bool {
        self.name() == "fsync" && self.0.get("lock") == Some(&Value::Bool(true))
    }

    fn shown(&self) -> Value {
        let mut shown = self.0.clone();
        hide(&mut shown);
        shown
    }
}

fn hide(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if SECRET_KEYS.contains(&key.to_ascii_lowercase().as_str()) {
                    *value = Value::String(REDACTED.to_owned());
                } else {
                    hide(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide),
        _ => {}
    }
}

impl std::fmt::Debug for AdminCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AdminCommand({})", self.shown())
    }
}

impl Serialize for AdminCommand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AdminCommand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self)
    }
}

/// A command line with the form in which it may be shown. What is read back from a file is the
/// shown form.
#[derive(Clone, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub struct HookText {
    text: String,
    #[schemars(skip)]
    shown: String,
}

impl HookText {
    /// Wraps a command line; `shown` is the same without its secrets.
    pub fn new(text: impl Into<String>, shown: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            shown: shown.into(),
        }
    }

    /// The command line with its secrets, for the code that runs it.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The command line without its secrets.
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

impl std::fmt::Debug for HookText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HookText({:?})", self.shown)
    }
}

impl Serialize for HookText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown)
    }
}

impl<'de> Deserialize<'de> for HookText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|shown| Self::new(shown.clone(), shown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn neither_a_hook_nor_a_command_shows_its_secrets() {
        let run = ActionKind::Run(HookText::new("login geheim", "login ***"));
        let user = json!({"createUser": "u", "pwd": "geheim", "roles": [{"pwd": "geheim"}]});
        let command = ActionKind::Command(AdminCommand::new(user));
        for kind in [&run, &command] {
            let json = serde_json::to_string(kind).expect("plain data");
            for shown in [json, format!("{kind:?}"), kind.text()] {
                assert!(
                    !shown.contains("geheim") && shown.contains("***"),
                    "{shown}"
                );
            }
        }
        let ActionKind::Run(hook) = run else {
            unreachable!("made above")
        };
        assert_eq!(hook.expose(), "login geheim");
    }

    #[test]
    fn a_lock_and_a_signal_can_be_undone() {
        let command = |value| ActionKind::Command(AdminCommand::new(value));
        assert!(command(json!({"fsync": 1, "lock": true})).can_be_undone());
        assert!(!command(json!({"fsync": 1})).can_be_undone());
        assert!(!command(json!({"replSetStepDown": 10})).can_be_undone());
    }
}
