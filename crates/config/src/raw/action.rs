//! Actions of a load step, as typed.

use docstone_model::plan::{MemberChoice, MemberSignal};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use crate::reads_text::reads_text;
use crate::units::DurationNs;

/// Something that is done to the deployment while the load goes on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["command"]}, {"required": ["run"]}, {"required": ["signal"]},
]))]
pub(crate) struct Action {
    /// Its name in the results; `action-1` and so on where it is left out.
    pub(crate) name: Option<String>,
    /// When it starts: a time since the step began, or a share of its duration.
    #[schemars(required, with = "At")]
    pub(crate) at: Option<At>,
    /// A command to the database `admin` of the primary, such as `{replSetStepDown: 10}`.
    #[serde(default)]
    #[schemars(schema_with = "command")]
    pub(crate) command: Option<Value>,
    /// A command line for `sh -c` on this machine; it needs `--allow-hooks`.
    pub(crate) run: Option<String>,
    /// A signal to members of a private server: `stop`, `terminate` or `kill`.
    pub(crate) signal: Option<Signal>,
    /// Who gets the signal; the primary where it is left out.
    pub(crate) member: Option<Member>,
    /// How long a signal or a lock lasts before it is undone; to the end of the load where it is
    /// left out.
    pub(crate) r#for: Option<DurationNs>,
}

fn command(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A command to the database `admin` of the primary, in Extended JSON.",
        "type": "object",
        "minProperties": 1,
    })
}

/// A time of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum At {
    /// Nanoseconds since it began.
    Time(u64),
    /// A share of its duration, from 0 to below 1.
    Share(f64),
}

impl At {
    fn parse(text: &str) -> Result<Self, String> {
        let Some(number) = text.trim().strip_suffix('%') else {
            return DurationNs::parse(text).map(|DurationNs(ns)| Self::Time(ns));
        };
        match number.trim().parse::<f64>() {
            Ok(percent) if (0.0..100.0).contains(&percent) => Ok(Self::Share(percent / 100.0)),
            Ok(_) => Err(format!(
                "`{text}` is outside of the step: write a share from `0%` to below `100%`, such as \
                 `50%`"
            )),
            Err(_) => Err(format!(
                "`{text}` is no time of a step: write it like `20s` or `50%`"
            )),
        }
    }
}

/// A signal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal(pub(crate) MemberSignal);

impl Signal {
    fn parse(text: &str) -> Result<Self, String> {
        let all = [
            MemberSignal::Stop,
            MemberSignal::Terminate,
            MemberSignal::Kill,
        ];
        let known = all.into_iter().find(|signal| signal.name() == text);
        known.map(Self).ok_or_else(|| match text {
            "continue" | "cont" | "restart" | "start" => format!(
                "`{text}` is no action of its own: `for: 5s` beside `stop` or `kill` says when it \
                 is undone"
            ),
            _ => format!("unknown signal `{text}`; known: stop, terminate, kill"),
        })
    }
}

/// Members of a private server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member(pub(crate) MemberChoice);

impl Member {
    fn parse(text: &str) -> Result<Self, String> {
        let choice = match text {
            "primary" => MemberChoice::Primary,
            "secondary" => MemberChoice::Secondary,
            "secondaries" => MemberChoice::Secondaries,
            number => MemberChoice::Number(number.parse().map_err(|_| {
                format!(
                    "unknown member `{text}`; known: primary, secondary, secondaries, or a number \
                     from 0"
                )
            })?),
        };
        Ok(Self(choice))
    }
}

reads_text!(At, At::parse, "a time such as `20s`, or a share such as `50%`", {
    "type": "string",
    "description": "A time since the step began, or a share of its duration.",
    "examples": ["20s", "50%"],
});
reads_text!(Signal, Signal::parse, "`stop`, `terminate` or `kill`", {
    "description": "stop: SIGSTOP. terminate: SIGTERM. kill: SIGKILL.",
    "enum": ["stop", "terminate", "kill"],
});
reads_text!(
    Member,
    Member::parse,
    "`primary`, `secondary`, `secondaries` or a number from 0",
    {
        "description": "A member of the private server, chosen when the action starts.",
        "anyOf": [
            {"enum": ["primary", "secondary", "secondaries"]},
            {"type": "integer", "minimum": 0, "maximum": 6},
        ],
    }
);
