//! A message on one line, however long a name is and whatever stands in it.

/// A quoted part with more characters is shortened: its beginning is enough to find it.
const LONGEST_QUOTE: usize = 100;
const SHOWN: usize = 60;

/// The message with control characters written as escapes, and long quoted parts shortened.
pub(super) fn one_line(message: &str) -> String {
    let parts = message.split('`').enumerate().map(|(at, part)| {
        let quoted = at % 2 == 1;
        let letters = part.chars().count();
        if quoted && letters > LONGEST_QUOTE {
            let begin: String = part.chars().take(SHOWN).collect();
            format!("{}...", escaped(&begin))
        } else {
            escaped(part)
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_short_line_whatever_it_quotes() {
        assert_eq!(
            one_line("the name `a\nb\u{1b}[31m`"),
            "the name `a\\nb\\u{1b}[31m`"
        );
        assert_eq!(one_line("früh 🚀"), "früh 🚀");
        let long = one_line(&format!("`{}` is no name", "n".repeat(3_000)));
        assert_eq!(long, format!("`{}...` is no name", "n".repeat(SHOWN)));
    }
}
