//! Any tokens are read, and none is lost.

use proptest::prelude::*;

use super::*;

fn numbered(tokens: &[String]) -> Vec<(usize, String)> {
    (1..).zip(tokens.iter().cloned()).collect()
}

fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("-t".to_owned()),
        Just("-m".to_owned()),
        Just("--threads=5".to_owned()),
        Just("-db".to_owned()),
        Just("-o7".to_owned()),
        Just("--".to_owned()),
        Just("-".to_owned()),
        Just("-ssl".to_owned()),
        "-{0,3}[a-zA-Z]{0,9}(=.{0,3})?",
        "-?[0-9]{1,5}",
        ".{0,6}",
    ]
}

proptest! {
    #[test]
    fn no_tokens_make_it_panic(tokens in prop::collection::vec(token(), 0..12)) {
        let (given, _) = read(&numbered(&tokens));
        let values: usize = given.values.values().map(Vec::len).sum();
        prop_assert!(values + given.stray.len() <= tokens.len());
    }

    #[test]
    fn numbers_after_a_list_option_are_its_values(values in prop::collection::vec(any::<i64>(), 1..9)) {
        let mut tokens = vec!["-t".to_owned()];
        tokens.extend(values.iter().map(ToString::to_string));
        let (given, mistakes) = read(&numbered(&tokens));
        prop_assert!(mistakes.is_empty());
        let expected: Vec<String> = values.iter().map(ToString::to_string).collect();
        prop_assert_eq!(given.all("threads"), expected.as_slice());
    }

    #[test]
    fn the_whole_line_never_panics(tokens in prop::collection::vec(token(), 0..12)) {
        let _ = crate::idealo::parse(&tokens, &|_| None);
    }
}

#[test]
fn every_beginning_of_a_long_name_means_one_option() {
    for opt in &OPTIONS {
        for end in 1..=opt.long.len() {
            let prefix = &opt.long[..end];
            let fits: Vec<&str> = OPTIONS
                .iter()
                .map(|opt| opt.long)
                .filter(|long| long.starts_with(prefix))
                .collect();
            assert!(
                fits.len() == 1 || exact(prefix).is_some(),
                "{prefix}: {fits:?}"
            );
            assert!(named(prefix).is_some(), "{prefix}");
        }
    }
}
