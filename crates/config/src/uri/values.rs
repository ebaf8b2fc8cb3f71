//! The values that options of a connection string take, as far as the driver is particular.

use crate::nearest::nearest;

/// What the driver reads as an option's value.
#[derive(Clone, Copy)]
enum Form {
    Boolean,
    /// From the first to the last.
    Whole(i64, i64),
    /// One of these, in any case.
    Word(&'static [&'static str]),
}

const MS: Form = Form::Whole(0, i64::MAX);
const COUNT: Form = Form::Whole(0, u32::MAX as i64);

/// In lower case.
const FORMS: [(&str, Form); 25] = [
    ("connecttimeoutms", MS),
    ("directconnection", Form::Boolean),
    ("enableoverloadretargeting", Form::Boolean),
    ("heartbeatfrequencyms", MS),
    ("journal", Form::Boolean),
    ("loadbalanced", Form::Boolean),
    ("localthresholdms", MS),
    ("maxadaptiveretries", COUNT),
    ("maxconnecting", COUNT),
    ("maxidletimems", MS),
    ("maxpoolsize", COUNT),
    ("maxstalenessseconds", Form::Whole(-1, i64::MAX)),
    ("minpoolsize", COUNT),
    (
        "readpreference",
        Form::Word(&[
            "primary",
            "primaryPreferred",
            "secondary",
            "secondaryPreferred",
            "nearest",
        ]),
    ),
    ("retryreads", Form::Boolean),
    ("retrywrites", Form::Boolean),
    (
        "servermonitoringmode",
        Form::Word(&["auto", "poll", "stream"]),
    ),
    ("serverselectiontimeoutms", MS),
    ("srvmaxhosts", COUNT),
    ("ssl", Form::Boolean),
    ("tls", Form::Boolean),
    ("tlsinsecure", Form::Boolean),
    ("waitqueuetimeoutms", MS),
    ("wtimeoutms", MS),
    ("zlibcompressionlevel", Form::Whole(-1, 9)),
];

/// Why a value is none that the option (in lower case) takes, and what it takes. Values are not
/// repeated.
pub(super) fn fault(option: &str, value: &str) -> Option<(String, String)> {
    let (_, form) = FORMS.iter().find(|(known, _)| *known == option)?;
    let right = match form {
        Form::Boolean => matches!(value, "true" | "false"),
        Form::Whole(first, last) => {
            let number = value.parse::<i64>();
            number.is_ok_and(|number| (*first..=*last).contains(&number))
        }
        Form::Word(words) => words.iter().any(|word| word.eq_ignore_ascii_case(value)),
    };
    if right {
        return None;
    }
    Some(match form {
        Form::Boolean => (
            "is neither `true` nor `false`".to_owned(),
            "write `true` or `false`".to_owned(),
        ),
        Form::Whole(first, last) => {
            let last = match *last {
                i64::MAX => String::new(),
                last => format!(" to {last}"),
            };
            (
                format!("is not a whole number from {first}{last}"),
                "write it in digits, without a unit".to_owned(),
            )
        }
        Form::Word(words) => (
            "is none that it knows".to_owned(),
            match nearest(value, words) {
                Some(word) => format!("did you mean `{word}`?"),
                None => format!("known here: {}", words.join(", ")),
            },
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_as_the_driver_reads_them() {
        for (option, right, wrong) in [
            ("retrywrites", "true", "perhaps"),
            ("tls", "false", "TRUE"),
            ("maxpoolsize", "7", "-1"),
            ("wtimeoutms", "0", "5s"),
            ("maxstalenessseconds", "-1", "-2"),
            ("zlibcompressionlevel", "9", "10"),
            ("readpreference", "secondarypreferred", "sometimes"),
            ("servermonitoringmode", "Poll", "push"),
        ] {
            assert_eq!(fault(option, right), None, "{option}={right}");
            assert!(fault(option, wrong).is_some(), "{option}={wrong}");
        }
        assert_eq!(fault("appname", "anything"), None);
        let (_, help) = fault("readpreference", "secondry").expect("a fault");
        assert_eq!(help, "did you mean `secondary`?");
    }
}
