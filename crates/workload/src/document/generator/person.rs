//! `$name`, `$email` and `$address`, all made up.

use std::io::Write;

use bson::spec::ElementType;

use super::value::{Value, one_of, text};
use crate::draw::Draw;

const FIRST: [&str; 64] = [
    "Ada", "Aiko", "Alma", "Amir", "Anna", "Arjun", "Asha", "Bela", "Ben", "Bruno", "Carla",
    "Chen", "Clara", "Dana", "Diego", "Dora", "Elif", "Emil", "Emma", "Enzo", "Eva", "Fatima",
    "Felix", "Finn", "Gita", "Hana", "Hugo", "Ida", "Igor", "Ines", "Iris", "Ivan", "Jana",
    "Jonas", "Juan", "Julia", "Kaito", "Karim", "Kofi", "Lara", "Lea", "Leo", "Lina", "Luca",
    "Maja", "Marco", "Maria", "Mei", "Mina", "Nadia", "Nina", "Noah", "Olga", "Omar", "Oskar",
    "Paula", "Petra", "Ravi", "Rosa", "Samir", "Sofia", "Tom", "Vera", "Yusuf",
];

const LAST: [&str; 64] = [
    "Abe", "Adams", "Ali", "Andersen", "Baker", "Bauer", "Becker", "Brown", "Carter", "Chen",
    "Clark", "Costa", "Cruz", "Diaz", "Dubois", "Eriksen", "Evans", "Fischer", "Ford", "Garcia",
    "Gomez", "Gray", "Green", "Haas", "Hansen", "Hill", "Ito", "Jansen", "Jones", "Kaya", "Keller",
    "Khan", "Kim", "Klein", "Kovacs", "Kumar", "Lang", "Larsen", "Lee", "Lopez", "Martin", "Meyer",
    "Miller", "Mori", "Moreau", "Nagy", "Novak", "Okafor", "Olsen", "Park", "Patel", "Perez",
    "Popov", "Reyes", "Rossi", "Santos", "Sato", "Schmidt", "Silva", "Singh", "Suzuki", "Wagner",
    "Weber", "Young",
];

const STREETS: [&str; 32] = [
    "Acacia Road",
    "Bridge Street",
    "Canal Street",
    "Castle Lane",
    "Cherry Lane",
    "Church Street",
    "Dock Road",
    "Elm Street",
    "Farm Road",
    "Garden Street",
    "Harbour Road",
    "High Street",
    "Hill Road",
    "King Street",
    "Lake Road",
    "Linden Street",
    "Long Lane",
    "Maple Street",
    "Market Square",
    "Meadow Lane",
    "Mill Lane",
    "Moor Road",
    "North Street",
    "Oak Avenue",
    "Orchard Road",
    "Park Avenue",
    "Pine Street",
    "Queen Street",
    "River Road",
    "School Lane",
    "Station Road",
    "Victoria Road",
];

const CITIES: [&str; 16] = [
    "Ashford",
    "Bridgeton",
    "Clearwater",
    "Eastfield",
    "Fairview",
    "Greenhill",
    "Kingsport",
    "Lakeside",
    "Millbrook",
    "Newhaven",
    "Northfield",
    "Oakridge",
    "Riverton",
    "Southport",
    "Westbury",
    "Woodstock",
];

/// The domains that exist for examples (RFC 2606).
const DOMAINS: [&str; 3] = ["example.com", "example.net", "example.org"];

/// Writing into memory does not fail.
fn write(out: &mut Vec<u8>, what: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(what);
}

/// Makes a text of each kind.
macro_rules! person {
    ($name:ident, |$draw:ident| $what:expr) => {
        #[derive(Debug)]
        pub(super) struct $name;

        impl Value for $name {
            fn element_type(&self) -> u8 {
                ElementType::String as u8
            }

            fn write(&self, $draw: &mut Draw, out: &mut Vec<u8>) {
                text(out, |out| $what(out));
            }
        }
    };
}

person!(Name, |draw| |out: &mut Vec<u8>| {
    let (first, last) = (one_of(&FIRST, draw), one_of(&LAST, draw));
    write(out, format_args!("{first} {last}"));
});

person!(Email, |draw| |out: &mut Vec<u8>| {
    let (first, last) = (one_of(&FIRST, draw), one_of(&LAST, draw));
    let (number, domain) = (draw.below(10_000), one_of(&DOMAINS, draw));
    let begin = out.len();
    write(out, format_args!("{first}.{last}{number}@{domain}"));
    out[begin..].make_ascii_lowercase();
});

person!(Address, |draw| |out: &mut Vec<u8>| {
    let (house, street) = (1 + draw.below(199), one_of(&STREETS, draw));
    let (code, city) = (10_000 + draw.below(90_000), one_of(&CITIES, draw));
    write(out, format_args!("{house} {street}, {code} {city}"));
});
