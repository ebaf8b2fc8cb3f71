//! The places before the connections of a pool: who may ask the driver for one.
//!
//! The driver's pool looks at one waiting request whenever something happens to it, and an
//! operation that ran into its limit leaves its request behind, which still has its turn. Once such
//! requests come as fast as turns do, as after a freeze that is several limits long, no operation is
//! served again. Hence no more ask than there can be connections; the others wait here, where one
//! that gives up leaves nothing behind. And where a request was left behind, a ping that asks after
//! it stands in for it: its end shows that the request is gone, and only then the place is free.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use bson::doc;
use mongodb::Client;
use mongodb::options::SelectionCriteria;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::events;

/// The places before the connections of one pool.
pub(crate) struct Places {
    client: Client,
    free: Arc<Semaphore>,
    runtime: Handle,
    stand_ins: RefCell<JoinSet<()>>,
}

/// The place of one operation, until it is dropped.
pub(crate) struct Place<'a> {
    places: &'a Places,
    selection: &'a SelectionCriteria,
}

impl Places {
    /// So many places before the connections of this client; called within a runtime.
    pub(crate) fn new(client: Client, places: usize) -> Self {
        Self {
            client,
            free: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
            runtime: Handle::current(),
            stand_ins: RefCell::default(),
        }
    }

    /// Takes a place for an operation that goes to a server of this kind, in the order of asking.
    /// What has to be waited for it counts as waiting for a connection.
    pub(crate) async fn enter<'a>(&'a self, selection: &'a SelectionCriteria) -> Place<'a> {
        // That it is never closed makes an error impossible.
        if let Ok(permit) = self.free.try_acquire() {
            permit.forget();
        } else {
            let asked = Instant::now();
            if let Ok(permit) = self.free.acquire().await {
                permit.forget();
            }
            events::waited(asked.elapsed());
        }
        Place {
            places: self,
            selection,
        }
    }

    /// Ends the stand-ins: the pool is closed.
    pub(crate) fn close(&self) {
        self.stand_ins.borrow_mut().abort_all();
    }

    fn stand_in(&self, selection: SelectionCriteria) {
        let (client, free) = (self.client.clone(), Arc::clone(&self.free));
        let mut stand_ins = self.stand_ins.borrow_mut();
        while stand_ins.try_join_next().is_some() {}
        let ping = async move {
            let database = client.database("admin");
            let ping = database.run_command(doc! {"ping": 1});
            // Whether it is served or refused, it was its turn.
            let _ = ping.selection_criteria(selection).await;
            free.add_permits(1);
        };
        let _ = stand_ins.spawn_on(ping, &self.runtime);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if events::asks_for_connection() {
            self.places.stand_in(self.selection.clone());
        } else {
            self.places.free.add_permits(1);
        }
    }
}
