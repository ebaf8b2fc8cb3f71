//! Parts of connection strings.

use proptest::prelude::*;

use super::*;

#[test]
fn percent_encoding_is_undone_once() {
    assert_eq!(decode("p%40ss%3Aw%2F%25").as_deref(), Some("p@ss:w/%"));
    assert_eq!(decode("%2540").as_deref(), Some("%40"));
    for wrong in ["%", "%4", "%zz", "%ff"] {
        assert_eq!(decode(wrong), None, "{wrong}");
    }
}

#[test]
fn databases_have_names_that_the_server_takes() {
    assert_eq!(database_fault("my-shop_1"), None);
    assert_eq!(database_fault(&"x".repeat(63)), None);
    for wrong in ["", "a.b", "a b", "a$b", "a/b", &"x".repeat(64)] {
        assert!(database_fault(wrong).is_some(), "{wrong}");
    }
}

#[test]
fn a_key_file_with_a_password_is_refused_before_anything_is_connected_to() {
    let faults = check(
        "mongodb://h/?tls=true&tlsCertificateKeyFile=k.pem&tlsCertificateKeyFilePassword=geheim",
    );
    let [UriFault { message, help }] = &faults[..] else {
        panic!("{faults:?}");
    };
    assert!(
        message.contains("`tlsCertificateKeyFilePassword` is not supported"),
        "{message}"
    );
    let help = help.as_deref().unwrap_or_default();
    assert!(help.contains("openssl pkey"), "{help}");
    assert!(!format!("{faults:?}").contains("geheim"));
    // Nor is it suggested for another.
    let near = format!("{:?}", check("mongodb://h/?tlsCertificateKeyFilePasswrd=x"));
    assert!(!near.contains("tlscertificatekeyfilepassword"), "{near}");
}

#[test]
fn every_refused_option_stands_behind_those_that_are_suggested() {
    let suggested = &OPTIONS[..OPTIONS.len() - REFUSED.len()];
    for (refused, _) in REFUSED {
        assert!(
            OPTIONS.contains(&refused) && !suggested.contains(&refused),
            "{refused}"
        );
    }
}

proptest! {
    #[test]
    fn any_password_is_right_when_it_is_encoded(password in ".{1,12}") {
        let encoded = docstone_model::secret::percent_encode(&password);
        let uri = format!("mongodb://bob:{encoded}@h:1/");
        prop_assert_eq!(check(&uri), []);
        prop_assert_eq!(decode(&encoded), Some(password));
    }

    #[test]
    fn any_text_is_checked_without_a_panic(text in "(mongodb://|mongodb\\+srv://)?.{0,30}") {
        let _ = check(&text);
    }
}
