//! A blocking client that looks at a database from outside. It is no part of what is tested.

use mongodb::Client;
use mongodb::bson::{Bson, Document, doc};
use mongodb::options::ReadPreference;
use tokio::runtime::Runtime;

/// A client for one database.
pub(crate) struct Onlooker {
    runtime: Runtime,
    client: Client,
    database: String,
}

/// Looks at a database by way of this connection string.
pub(crate) fn onlooker(uri: &str, database: &str) -> Onlooker {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let client = runtime.block_on(Client::with_uri_str(uri));
    Onlooker {
        client: client.expect("a connection string"),
        runtime,
        database: database.to_owned(),
    }
}

impl Onlooker {
    /// Runs a command on the database.
    pub(crate) fn command(&self, command: Document) -> Document {
        self.command_on(&self.database, command)
    }

    /// Runs a command on `admin`.
    pub(crate) fn admin(&self, command: Document) -> Document {
        self.command_on("admin", command)
    }

    fn command_on(&self, database: &str, command: Document) -> Document {
        let shown = command.to_string();
        let database = self.client.database(database);
        let reply = self.runtime.block_on(async {
            let run = database.run_command(command);
            run.selection_criteria(ReadPreference::Primary.into()).await
        });
        reply.unwrap_or_else(|error| panic!("{shown}: {error}"))
    }

    /// Number of documents, counted one by one.
    pub(crate) fn count(&self, collection: &str) -> u64 {
        self.count_where(collection, doc! {})
    }

    /// Number of documents that match.
    pub(crate) fn count_where(&self, collection: &str, filter: Document) -> u64 {
        let collection = self.collection(collection);
        let count = self.runtime.block_on(async {
            let count = collection.count_documents(filter);
            count
                .selection_criteria(ReadPreference::Primary.into())
                .await
        });
        count.expect("a count")
    }

    /// Sum of a field over all documents, not below 0.
    pub(crate) fn sum(&self, collection: &str, field: &str) -> u64 {
        let documents = self.documents(collection);
        let values = documents.iter().map(|document| match document.get(field) {
            Some(Bson::Int32(value)) => i64::from(*value),
            Some(Bson::Int64(value)) => *value,
            other => panic!("{field} is {other:?} in {document}"),
        });
        u64::try_from(values.sum::<i64>()).expect("not below 0")
    }

    /// All documents, by `_id`.
    pub(crate) fn documents(&self, collection: &str) -> Vec<Document> {
        let collection = self.collection(collection);
        self.runtime.block_on(async {
            let find = collection.find(doc! {}).sort(doc! {"_id": 1});
            let mut cursor = find
                .selection_criteria(ReadPreference::Primary.into())
                .await
                .expect("a cursor");
            let mut documents = Vec::new();
            while cursor.advance().await.expect("a batch") {
                documents.push(Document::try_from(cursor.current()).expect("valid BSON"));
            }
            documents
        })
    }

    /// The smallest and the largest size of the documents of a collection, in bytes.
    pub(crate) fn sizes(&self, collection: &str) -> (i32, i32) {
        let size = doc! {"$bsonSize": "$$ROOT"};
        let group = doc! {"_id": 1, "least": {"$min": &size}, "most": {"$max": &size}};
        let found = self.command(doc! {
            "aggregate": collection, "pipeline": [{"$group": group}], "cursor": {},
        });
        let batch = found.get_document("cursor").expect("a cursor");
        let batch = batch.get_array("firstBatch").expect("a batch");
        let found = batch[0].as_document().expect("a document");
        let of = |key| found.get_i32(key).expect("a size");
        (of("least"), of("most"))
    }

    /// Inserts documents.
    pub(crate) fn insert(&self, collection: &str, documents: Vec<Document>) {
        let collection = self.collection(collection);
        let inserted = self
            .runtime
            .block_on(async { collection.insert_many(documents).await });
        let _ = inserted.expect("an insert");
    }

    /// Deletes documents and returns how many.
    pub(crate) fn delete(&self, collection: &str, filter: Document) -> u64 {
        let collection = self.collection(collection);
        let deleted = self
            .runtime
            .block_on(async { collection.delete_many(filter).await });
        deleted.expect("a delete").deleted_count
    }

    /// Names of the collections, sorted.
    pub(crate) fn collections(&self) -> Vec<String> {
        let database = self.client.database(&self.database);
        let names = self
            .runtime
            .block_on(async { database.list_collection_names().await });
        let mut names = names.expect("names");
        names.sort();
        names
    }

    /// Names of all databases of the server.
    pub(crate) fn databases(&self) -> Vec<String> {
        let names = self
            .runtime
            .block_on(async { self.client.list_database_names().await });
        names.expect("names")
    }

    /// How often the server did something (`insert`, `update`, `remove`, `queries`, `getmore`,
    /// `commands`) on a collection since it started; 0 for one that it does not know.
    pub(crate) fn top(&self, collection: &str, counter: &str) -> u64 {
        let top = self.admin(doc! {"top": 1});
        let totals = top.get_document("totals").expect("totals");
        let Ok(of) = totals.get_document(format!("{}.{collection}", self.database)) else {
            return 0;
        };
        let of = of.get_document(counter).expect("a counter of `top`");
        match of.get("count") {
            Some(Bson::Int32(count)) => u64::try_from(*count).expect("a count"),
            Some(Bson::Int64(count)) => u64::try_from(*count).expect("a count"),
            other => panic!("{other:?} is no count"),
        }
    }

    fn collection(&self, name: &str) -> mongodb::Collection<Document> {
        self.client.database(&self.database).collection(name)
    }
}
