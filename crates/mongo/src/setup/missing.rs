//! Whether loaded documents have gone since: somebody else may have emptied the collection, and
//! documents that runs inserted hide that from its count.

use bson::{Bson, doc};
use docstone_engine::target::TargetError;
use docstone_model::CollectionPlan;
use docstone_workload::{Documents, has_reproducible_ids};
use mongodb::Database;

use crate::lookup;
use crate::number::whole;

/// Documents that are looked for: all of a small collection, else as many, evenly spread.
const SAMPLES: u64 = 10_000;

/// Documents of one query.
const BATCH: usize = 1000;

/// True if one of the documents that are looked for is missing.
pub(super) async fn any(
    database: &Database,
    collection: &CollectionPlan,
    documents: &mut Documents<'_>,
) -> Result<bool, TargetError> {
    if !has_reproducible_ids(collection) {
        return Ok(false);
    }
    let numbers: Vec<u64> = sample(collection.count).collect();
    for batch in numbers.chunks(BATCH) {
        let ids = batch.iter().map(|number| documents.id(*number));
        let ids: Vec<Bson> = ids.filter_map(|id| Bson::try_from(id).ok()).collect();
        let stages = [
            doc! {"$match": {"_id": {"$in": ids}}},
            doc! {"$count": "there"},
        ];
        let found = lookup::first(database, &collection.name, stages).await?;
        let there = found.and_then(|found| whole(found.get("there")?));
        if there.unwrap_or(0) < batch.len() as u64 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Numbers from the first to the last, all or evenly spread.
fn sample(count: u64) -> impl Iterator<Item = u64> {
    let samples = count.min(SAMPLES);
    (0..samples).map(move |at| {
        let spread = u128::from(at) * u128::from(count.saturating_sub(1));
        u64::try_from(spread / u128::from(samples.max(2) - 1)).unwrap_or(u64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_collections_are_looked_at_whole_and_large_ones_from_first_to_last() {
        assert_eq!(sample(0).count(), 0);
        assert_eq!(sample(1).collect::<Vec<_>>(), [0]);
        assert_eq!(sample(5).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        let large: Vec<u64> = sample(1_000_000_000_000).collect();
        assert_eq!(large.len() as u64, SAMPLES);
        assert_eq!((large[0], large[large.len() - 1]), (0, 999_999_999_999));
        assert!(large.is_sorted_by(|a, b| a < b));
    }
}
