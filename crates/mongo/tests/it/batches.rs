//! Calls that write several documents: what they report where all or a part of them succeeds.

use docstone_engine::target::OperationResult;
use docstone_model::ErrorClass;
use docstone_workload::{Inserts, PreparedOperation};
use mongodb::bson::{doc, rawdoc};

use crate::deployment::{documents, on_engine_thread, shared};
use crate::operations::{execute, none, prepared, shown};
use crate::plans::{self, plan};

/// A batch with these `_id`s.
fn batch(operation: usize, ids: &[i64]) -> PreparedOperation {
    let mut documents = ids.iter().map(|id| rawdoc! {"_id": *id});
    let first = documents.next().expect("one at least");
    PreparedOperation {
        batch: documents.collect(),
        ..prepared(operation, none(), first)
    }
}

#[test]
fn a_batch_counts_its_documents_and_one_operation() {
    let kinds = vec![plans::insert_many(3, true)];
    let plan = plan(shared().uri().expose(), "insert_batches", kinds);
    let outcomes = execute(&plan, &[batch(0, &[1, 2, 3]), batch(0, &[4, 5, 6])]);
    assert_eq!(
        outcomes.iter().map(shown).collect::<Vec<_>>(),
        [("ok", Some(3)); 2]
    );
    assert_eq!(outcomes[0].bytes_out, 3 * 18);
    assert_eq!(on_engine_thread(documents("insert_batches", "c")).len(), 6);
}

#[test]
fn a_batch_that_fails_in_part_tells_what_was_acknowledged() {
    let kinds = vec![plans::insert_many(4, true), plans::insert_many(4, false)];
    let plan = plan(shared().uri().expose(), "partial_batches", kinds);
    let outcomes = execute(
        &plan,
        &[
            batch(0, &[1, 2, 3, 4]),
            batch(0, &[5, 2, 6, 7]),
            batch(1, &[8, 3, 9, 4]),
        ],
    );
    let partial = |at: usize| {
        let OperationResult::Error(error) = &outcomes[at].result else {
            panic!("{:?}", outcomes[at]);
        };
        assert_eq!(error.class, ErrorClass::Server(11000));
        (outcomes[at].documents, outcomes[at].inserted.as_deref())
    };
    assert_eq!(partial(1), (Some(1), Some(&[0][..])));
    assert_eq!(partial(2), (Some(2), Some(&[0, 2][..])));
    let there = on_engine_thread(documents("partial_batches", "c"));
    let ids: Vec<i64> = there
        .iter()
        .map(|of| of.get_i64("_id").expect("an id"))
        .collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 8, 9]);
}

/// A bulk of an insert, two updates, an insert and a delete.
fn kinds() -> Vec<docstone_model::OperationKind> {
    vec![
        plans::insert(),
        plans::update_one(false),
        plans::update_many(),
        plans::insert(),
        plans::delete_one(),
    ]
}

fn bulk(operation: usize, first: i64, second: i64) -> PreparedOperation {
    let insert = |id: i64| PreparedOperation {
        inserts: Some(Inserts {
            collection: 0,
            first: 0,
            count: 1,
        }),
        ..prepared(0, none(), rawdoc! {"_id": id, "v": 0_i32})
    };
    PreparedOperation {
        calls: vec![
            insert(first),
            prepared(0, rawdoc! {"_id": first}, rawdoc! {"$set": {"v": 1_i32}}),
            prepared(0, rawdoc! {}, rawdoc! {"$inc": {"w": 1_i32}}),
            insert(second),
            prepared(0, rawdoc! {"_id": first}, none()),
        ],
        ..prepared(operation, none(), none())
    }
}

#[test]
fn a_bulk_does_all_of_its_writes_in_order_and_counts_what_they_touched() {
    let bulks = vec![
        plans::bulk_write(kinds(), true),
        plans::bulk_write(kinds(), true),
    ];
    let plan = plan(shared().uri().expose(), "bulks", bulks);
    let outcomes = execute(&plan, &[bulk(0, 1, 2), bulk(0, 3, 2)]);
    // One inserted, two changes of it, one more inserted, one deleted.
    assert_eq!(shown(&outcomes[0]), ("ok", Some(5)));
    assert_eq!(outcomes[0].retries, 0);
    // Inserted, changed, two changed; the next insert is refused and ends it.
    let OperationResult::Error(error) = &outcomes[1].result else {
        panic!("{:?}", outcomes[1]);
    };
    assert_eq!(error.class, ErrorClass::Server(11000));
    assert_eq!(outcomes[1].documents, Some(4));
    assert_eq!(outcomes[1].inserted.as_deref(), Some(&[0][..]));
    assert_eq!(
        on_engine_thread(documents("bulks", "c")),
        [
            doc! {"_id": 2_i64, "v": 0, "w": 1},
            doc! {"_id": 3_i64, "v": 1, "w": 1}
        ]
    );
}

#[test]
fn a_bulk_that_is_not_ordered_goes_on_after_a_refusal() {
    let bulks = vec![plans::bulk_write(kinds(), false)];
    let plan = plan(shared().uri().expose(), "unordered_bulks", bulks);
    let outcomes = execute(&plan, &[bulk(0, 1, 2), bulk(0, 1, 3), bulk(0, 2, 4)]);
    // Both inserts, both updates of one and of both, then the delete.
    assert_eq!(shown(&outcomes[0]), ("ok", Some(2 + 3 + 1)));
    assert_eq!(shown(&outcomes[1]), ("ok", Some(2 + 4 + 1)));
    let OperationResult::Error(_) = &outcomes[2].result else {
        panic!("{:?}", outcomes[2]);
    };
    assert_eq!(outcomes[2].inserted.as_deref(), Some(&[1][..]));
    assert_eq!(on_engine_thread(documents("unordered_bulks", "c")).len(), 2);
}

#[test]
fn a_bulk_that_touches_nothing_is_a_miss() {
    let bulks = vec![plans::bulk_write(vec![plans::delete_many()], true)];
    let plan = plan(shared().uri().expose(), "missing_bulks", bulks);
    let nothing = PreparedOperation {
        calls: vec![prepared(0, rawdoc! {}, none())],
        ..prepared(0, none(), none())
    };
    let outcomes = execute(&plan, &[nothing]);
    assert_eq!(shown(&outcomes[0]), ("not_found", Some(0)));
}
