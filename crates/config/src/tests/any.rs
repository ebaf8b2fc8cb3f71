//! Whatever a file holds, it is a plan or a list of mistakes that can be shown, without secrets.

use proptest::prelude::*;

use super::*;

/// Renders in every way there is.
fn shown(text: &str, overrides: &Overrides, env: Env<'_>) -> Option<String> {
    let error = plan_from_text("f.yaml", text, overrides, env).err()?;
    assert!(error.count() > 0);
    Some(format!("{error}{error:?}{}", error.render(true)))
}

proptest! {
    #[test]
    fn a_damaged_file_is_refused_without_a_panic(
        start in 0..GOOD.len(),
        length in 0..40_usize,
        put in prop_oneof![".{0,3}", "[\\[\\]{}:,\\-# \n\t\"'&*!|>%@`$ä😀]{0,5}"],
    ) {
        let end = (start + length).min(GOOD.len());
        let text = format!("{}{put}{}", &GOOD[..start], &GOOD[end..]);
        let _ = shown(&text, &Overrides::default(), &no_env);
    }

    #[test]
    fn any_text_is_refused_without_a_panic(text in "(.|\n){0,60}") {
        let _ = shown(&text, &Overrides::default(), &no_env);
    }

    #[test]
    fn any_flag_is_refused_without_a_panic(flag in "[a-z0-9.]{0,12}=?.{0,12}") {
        let overrides = Overrides { set: vec![flag], private: true, ..Overrides::default() };
        let _ = shown(GOOD, &overrides, &no_env);
    }

    #[test]
    fn no_password_is_shown_wherever_it_stands(
        before in "[a-z0-9@:/%?#, }'=&]{0,4}",
        after in "[a-z0-9@:/%?#, }'=&]{0,4}",
        rest in prop_oneof![Just("h/"), Just("h:x/"), Just("h/?w=1&w=2"), Just("")],
    ) {
        let uri = format!("mongodb://bob:{before}geheim{after}@{rest}");
        let env = |name: &str| (name == "DOCSTONE_URI").then(|| uri.clone());
        let end = "data: {c: {}}\noperations: {o: {count: {collection: c}}}\nload: []\n";
        for (text, overrides) in [
            (format!("target: {{uri: \"{uri}\", pool: 0, x: 1}}\n{end}"), Overrides::default()),
            (format!("target: {{uri: '{uri}', pool: 0}}\n{end}"), Overrides::default()),
            (format!("target: {uri} # {uri}\n{end}"), Overrides::default()),
            (format!("uri: {uri}\n{uri}: 5\n{end}"), Overrides::default()),
            (end.to_owned(), Overrides { uri: Some(uri.clone()), ..Overrides::default() }),
            (end.to_owned(), Overrides { set: vec![format!("target={uri}")], ..Overrides::default() }),
            (format!("target: {{pool: '${{DOCSTONE_URI}}'}}\n{end}"), Overrides::default()),
        ] {
            if let Some(shown) = shown(&text, &overrides, &env) {
                prop_assert!(!shown.contains("geheim"), "{text}\n{shown}");
            }
        }
        let args = ["-db", "d", "-c", "c", "-url", &uri].map(str::to_owned);
        let shown = format!("{:?}", crate::idealo::parse(&args, &no_env));
        prop_assert!(!shown.contains("geheim"), "{}", shown);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(5_000),
    ];
    for text in deep {
        let shown = shown(&text, &Overrides::default(), &no_env).expect("too deep");
        assert!(shown.contains("error"), "{shown}");
    }
    let shown = shown(&"- ".repeat(40), &Overrides::default(), &no_env).expect("too deep");
    assert!(shown.contains("nested deeper than 32 levels"), "{shown}");
}

#[test]
fn a_syntax_error_behind_a_space_of_several_bytes_is_refused_without_a_panic() {
    for space in ['\u{a0}', '\u{2028}', '\u{3000}'] {
        let text = format!("operations:\n  find: {{a: 1}}{space}b: {{c: 2}}\n");
        let shown = shown(&text, &Overrides::default(), &no_env).expect("no YAML");
        assert!(shown.contains("error"), "{shown}");
    }
}
