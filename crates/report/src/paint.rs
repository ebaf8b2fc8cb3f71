//! Colour, used sparingly, and only where the caller allows it.

use owo_colors::OwoColorize;

/// Paints text for a terminal, or leaves it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint {
    /// Whether escape sequences may be printed.
    pub(crate) color: bool,
}

impl Paint {
    /// Headings.
    pub(crate) fn bold(self, text: &str) -> String {
        if self.color {
            text.bold().to_string()
        } else {
            text.to_owned()
        }
    }

    /// What went wrong.
    pub(crate) fn red(self, text: &str) -> String {
        if self.color {
            text.red().to_string()
        } else {
            text.to_owned()
        }
    }
}

/// Text from elsewhere (a server's message, a name from a file) without control characters, so
/// that it cannot move the cursor or break a line.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// [`printable`] text of at most `max` characters; what is cut is marked.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= max {
        return text;
    }
    let kept: String = text.chars().take(max.saturating_sub(3)).collect();
    format!("{kept}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_appear_only_with_colour() {
        assert_eq!(Paint { color: false }.red("x"), "x");
        assert!(Paint { color: true }.red("x").contains('\u{1b}'));
    }

    #[test]
    fn foreign_text_cannot_move_the_cursor() {
        assert_eq!(printable("a\u{1b}[2Jb\nc"), "a [2Jb c");
        assert_eq!(shortened("abcdef", 5), "ab...");
        assert_eq!(shortened("abcde", 5), "abcde");
    }
}
