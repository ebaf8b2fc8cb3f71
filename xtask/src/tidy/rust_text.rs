//! Just enough of Rust's lexical rules for a textual check: comments and literals are blanked, the
//! rest becomes tokens. Owns no grammar.

/// A word or a sign of the source, with its line from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'text> {
    /// An identifier, a number, `::`, or one other character.
    pub(super) text: &'text str,
    /// The line, from 1.
    pub(super) line: usize,
}

/// The source with each comment and the inside of each string and character literal replaced by
/// spaces. Lines and columns stay.
pub(super) fn blank(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match chars[at] {
            '/' if chars.get(at + 1) == Some(&'/') => line_end(&chars, at),
            '/' if chars.get(at + 1) == Some(&'*') => comment_end(&chars, at),
            '"' => string_end(&chars, at),
            'r' if !follows_word(&chars, at) => raw_end(&chars, at).unwrap_or(at),
            '\'' => character_end(&chars, at).unwrap_or(at),
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(
                chars[at..end]
                    .iter()
                    .map(|it| if *it == '\n' { '\n' } else { ' ' }),
            );
            at = end;
        }
    }
    out
}

/// A blanked source up to the tests at its end.
pub(super) fn before_tests(blanked: &str) -> &str {
    let begin = blanked.find("\n#[cfg(test)]\nmod tests {");
    begin.map_or(blanked, |begin| &blanked[..=begin])
}

/// The tokens of a blanked source.
pub(super) fn tokens(blanked: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (index, text) in blanked.lines().enumerate() {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = if is_word(first) {
                rest.find(|it| !is_word(it)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            let (token, after) = rest.split_at(length);
            if !first.is_whitespace() {
                found.push(Token {
                    text: token,
                    line: index + 1,
                });
            }
            rest = after;
        }
    }
    found
}

/// Whether the character can be part of an identifier.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether a prefix such as `r` is the tail of a longer word; `b` and `c` may stand before it.
fn follows_word(chars: &[char], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|index| chars[index]);
    match before(1) {
        Some('b' | 'c') => before(2).is_some_and(is_word),
        other => other.is_some_and(is_word),
    }
}

fn line_end(chars: &[char], at: usize) -> usize {
    let length = chars[at..].iter().position(|it| *it == '\n');
    length.map_or(chars.len(), |length| at + length)
}

/// Block comments nest.
fn comment_end(chars: &[char], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    chars.len()
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// The end of `r"..."` or `r#"..."#`; nothing for a raw identifier.
fn raw_end(chars: &[char], start: usize) -> Option<usize> {
    let hashes = chars[start + 1..]
        .iter()
        .take_while(|it| **it == '#')
        .count();
    let mut at = start + 1 + hashes;
    if chars.get(at) != Some(&'"') {
        return None;
    }
    at += 1;
    while at < chars.len() {
        let closes = |from: usize| {
            let tail = chars.get(from..from + hashes);
            tail.is_some_and(|tail| tail.iter().all(|it| *it == '#'))
        };
        if chars[at] == '"' && closes(at + 1) {
            return Some(at + 1 + hashes);
        }
        at += 1;
    }
    Some(chars.len())
}

/// The end of `'x'` or `'\n'`; nothing for a lifetime.
fn character_end(chars: &[char], start: usize) -> Option<usize> {
    match chars.get(start + 1)? {
        '\\' => {
            let close = chars.get(start + 3..)?.iter().position(|it| *it == '\'')?;
            Some(start + 3 + close + 1)
        }
        _ => (chars.get(start + 2) == Some(&'\'')).then_some(start + 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<String> {
        let blanked = blank(source);
        let found = tokens(&blanked);
        found.iter().map(|token| token.text.to_owned()).collect()
    }

    #[test]
    fn comments_are_blank_and_nest() {
        assert_eq!(words("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"]);
        assert_eq!(words("a /* never closed"), ["a"]);
    }

    #[test]
    fn literals_are_blank_whatever_their_form() {
        assert_eq!(
            words(r#"f("x\"y", b"z") g"#),
            ["f", "(", ",", "b", ")", "g"]
        );
        assert_eq!(words("r#\"a \" b\"# c"), ["c"]);
        assert_eq!(
            words(r"('a', '\'', '\u{1F600}', '/') x").last().unwrap(),
            "x"
        );
        assert_eq!(words("var\"s\" x"), ["var", "x"]);
    }

    #[test]
    fn the_code_ends_where_its_tests_begin() {
        let source = "a\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(before_tests(source), "a\n");
        assert_eq!(
            before_tests("a\n#[cfg(test)]\nmod tests;\nb"),
            "a\n#[cfg(test)]\nmod tests;\nb"
        );
    }

    #[test]
    fn lifetimes_and_raw_names_stay() {
        assert_eq!(words("&'a str"), ["&", "'", "a", "str"]);
        assert_eq!(words("r#type b"), ["r", "#", "type", "b"]);
    }

    #[test]
    fn lines_stay_where_they_were() {
        let blanked = blank("\"one\ntwo\"\n/* three\n*/ four");
        let found = tokens(&blanked);
        assert_eq!((found.len(), found[0].text, found[0].line), (1, "four", 4));
    }
}
