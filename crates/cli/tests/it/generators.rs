//! Documents of all kinds of values, as the server holds them.

use mongodb::bson::doc;

use crate::support::{count, database, docstone};

const FILE: &str = "
name: generators
data:
  people:
    count: 300
    indexes: [{keys: {at: 2dsphere}}]
    document:
      fields:
        _id: {$binary: {length: 12}}
        name: {$name: {}}
        mail: {$email: {}}
        address: {$address: {}}
        born: {$date: {min: \"1950-01-01\", max: \"2005-12-31\"}}
        height: {$double: {min: 1.5, max: 2, decimals: 2}}
        balance: {$decimal: {min: -50, max: 50}}
        member: {$bool: {probability: 0.25}}
        about: {$words: {min: 3, max: 9}}
        state: {$one_of: [new, 7, {since: {$date: \"2026-01-31T12:00:00Z\"}}]}
        tags: [{$one_of: [a, b]}, {$one_of: {values: [1, true], weights: [1, 3]}}]
        at: {$point: {west: 5, east: 15, south: 47, north: 55}}
operations:
  find: {find_one: {collection: people, filter: {_id: {$key: {}}}}}
  insert: {insert_one: {collection: people}}
  grow: {update_one: {collection: people, filter: {_id: {$key: {}}}, update: {$set: {height: {$double: {min: 2, max: 3}}, seen: {$date: {}}}}}}
scenario: {mix: {find: 1, insert: 1, grow: 1}}
load: [{name: s, closed: {concurrency: 4}, operations: 300}]
";

#[test]
fn each_value_has_its_type_and_loaded_keys_are_found_again() {
    let database = database("generators");
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    let records = ran.records();
    for operation in ["find", "grow"] {
        let operation = records.operation("s", operation);
        assert_eq!(count(&operation, "not_found"), 0, "{operation:#}");
    }
    let inserted = count(&records.operation("s", "insert"), "ok");
    let onlooker = database.onlooker();
    assert_eq!(onlooker.count("people"), 300 + inserted);
    let of_types = doc! {
        "_id": {"$type": "binData"}, "name": {"$type": "string"}, "mail": {"$type": "string"},
        "address": {"$type": "string"}, "born": {"$type": "date"}, "height": {"$type": "double"},
        "balance": {"$type": "decimal"}, "member": {"$type": "bool"}, "about": {"$type": "string"},
        "at.type": "Point", "state": {"$type": ["string", "int", "object"]},
        "tags.0": {"$in": ["a", "b"]}, "tags.1": {"$in": [1, true]},
    };
    assert_eq!(onlooker.count_where("people", of_types), 300 + inserted);
    let within = doc! {"at": {"$geoWithin": {"$geometry": {"type": "Polygon", "coordinates": [[
        [4, 46], [16, 46], [16, 56], [4, 56], [4, 46],
    ]]}}}};
    assert_eq!(onlooker.count_where("people", within), 300 + inserted);
    let members = onlooker.count_where("people", doc! {"member": true});
    for state in ["string", "int", "object"] {
        let there = onlooker.count_where("people", doc! {"state": {"$type": state}});
        assert!(there > (300 + inserted) / 6, "{there} with {state}");
    }
    let share = members as f64 / (300 + inserted) as f64;
    assert!((0.12..0.42).contains(&share), "{share}");
}
