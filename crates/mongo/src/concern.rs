//! The write and read concern that hold for the whole deployment where a client asks for none.

use bson::doc;
use mongodb::Client;
use mongodb::options::WriteConcern;

use crate::number::at;

/// What the server tells of its defaults.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    pub(crate) write: Option<WriteConcern>,
    /// The level.
    pub(crate) read: Option<String>,
}

/// Asks for the defaults. A standalone has none, and not every user may know them.
pub(crate) async fn defaults(client: &Client) -> Defaults {
    let command = doc! {"getDefaultRWConcern": 1};
    let Ok(reply) = client.database("admin").run_command(command).await else {
        return Defaults::default();
    };
    let write = reply.get_document("defaultWriteConcern").ok();
    let write: Option<WriteConcern> =
        write.and_then(|concern| bson::deserialize_from_document(concern.clone()).ok());
    Defaults {
        write: write.map(|mut concern| {
            // 0 stands for no limit.
            concern.w_timeout = concern.w_timeout.filter(|limit| !limit.is_zero());
            concern
        }),
        read: at(&reply, &["defaultReadConcern", "level"])
            .and_then(|level| level.as_str().map(str::to_owned)),
    }
}
