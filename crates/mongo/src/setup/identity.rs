//! Which collection stands behind a name: dropped and made again, it has another UUID.

use bson::{Document, Uuid, doc};
use docstone_engine::target::TargetError;
use mongodb::Database;
use mongodb::error::Error;
use mongodb::options::ReadPreference;

use crate::error::{self, setup_error};
use crate::lookup;
use crate::number::at;

/// What is behind the name of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    Absent,
    /// It exists; the user may not ask for more.
    Hidden,
    Shown {
        /// A view has none.
        uuid: Option<Uuid>,
        capped: bool,
    },
}

impl Identity {
    /// The UUID, as far as it is known.
    pub(super) fn uuid(&self) -> Option<Uuid> {
        match self {
            Self::Shown { uuid, .. } => *uuid,
            Self::Absent | Self::Hidden => None,
        }
    }
}

/// Asks what is behind a name. A user of single collections is told that they exist, no more.
pub(super) async fn of(database: &Database, collection: &str) -> Result<Identity, TargetError> {
    match shown(database, collection).await {
        Ok(Some(found)) => Ok(Identity::Shown {
            uuid: uuid(&found),
            capped: at(&found, &["options", "capped"]).and_then(bson::Bson::as_bool) == Some(true),
        }),
        Ok(None) => Ok(Identity::Absent),
        Err(problem) if error::is_denied(&problem) => {
            let exists = lookup::exists(database, collection).await?;
            Ok(if exists {
                Identity::Hidden
            } else {
                Identity::Absent
            })
        }
        Err(problem) => {
            let what = format!("list the collection {}.{collection}", database.name());
            Err(setup_error(&what, &problem))
        }
    }
}

/// The entry in the list of collections, which is asked for as a document: the driver's type does
/// not take all options that a server may tell. A time series is a view of its buckets, and has their
/// UUID.
pub(super) async fn shown(
    database: &Database,
    collection: &str,
) -> Result<Option<Document>, Error> {
    let Some(mut found) = listed(database, collection).await? else {
        return Ok(None);
    };
    let is_series = found.get_str("type").is_ok_and(|kind| kind == "timeseries");
    if is_series && uuid(&found).is_none() {
        let buckets = listed(database, &format!("system.buckets.{collection}")).await?;
        if let Some(info) = buckets.as_ref().and_then(|buckets| buckets.get("info")) {
            let _ = found.insert("info", info.clone());
        }
    }
    Ok(Some(found))
}

async fn listed(database: &Database, name: &str) -> Result<Option<Document>, Error> {
    let list = doc! {"listCollections": 1, "filter": {"name": name}};
    let mut cursor = database
        .run_cursor_command(list)
        .selection_criteria(ReadPreference::Primary.into())
        .await?;
    if !cursor.advance().await? {
        return Ok(None);
    }
    cursor.deserialize_current().map(Some)
}

fn uuid(found: &Document) -> Option<Uuid> {
    match at(found, &["info", "uuid"])? {
        bson::Bson::Binary(binary) => binary.to_uuid().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uuid_of_a_collection_is_read_and_a_view_has_none() {
        let known = Uuid::from_bytes([7; 16]);
        let found = doc! {"name": "orders", "info": {"readOnly": false, "uuid": known}};
        assert_eq!(uuid(&found), Some(known));
        assert_eq!(uuid(&doc! {"name": "v", "info": {"readOnly": true}}), None);
    }
}
