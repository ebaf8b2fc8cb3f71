//! Whose a collection is: what its marker says of it, compared with what stands behind its name.

use docstone_engine::target::TargetError;

use super::identity::Identity;
use super::marker::Marker;
use crate::error::plan_error;

/// Whose a collection that exists is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// docstone made it, for this data plan and seed.
    Ours,
    /// docstone made it, for another data plan or seed, or it was kept by `--reuse`.
    OfAnotherPlan,
    /// docstone made one of this name, and this is another.
    MadeAgain,
    /// docstone made one of this name, and this is a view.
    View,
    /// docstone made one of this name; whether it is this one is not known.
    Unknown(Why),
    /// docstone has no part in it.
    Stranger,
}

/// Why it is not known whether a collection is the one that docstone made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The user may not list the collections of the database.
    Hidden,
    /// The marker has no UUID.
    Unmarked,
}

impl Standing {
    /// Compares a marker with the collection that is there.
    pub(super) fn of(
        marker: Option<&Marker>,
        data_hash: &str,
        there: u64,
        identity: &Identity,
    ) -> Self {
        let Some(marker) = marker else {
            return Self::Stranger;
        };
        let same_plan = marker.data_hash == data_hash;
        match (marker.uuid, identity) {
            (Some(_), Identity::Shown { uuid: None, .. }) => Self::View,
            (Some(made), Identity::Shown { uuid, .. }) if *uuid != Some(made) => Self::MadeAgain,
            (Some(_), Identity::Shown { .. }) if same_plan => Self::Ours,
            (Some(_), Identity::Shown { .. }) => Self::OfAnotherPlan,
            // A loader that was killed before it noted what it had just made.
            (None, _) if same_plan && !marker.complete && there == 0 => Self::Ours,
            (_, Identity::Hidden | Identity::Absent) => Self::Unknown(Why::Hidden),
            (None, Identity::Shown { .. }) => Self::Unknown(Why::Unmarked),
        }
    }

    /// What stands behind the name is not what docstone made.
    pub(super) fn is_another(self) -> bool {
        matches!(self, Self::MadeAgain | Self::View)
    }

    /// Why the collection is not used without a flag; `None` where it is.
    pub(super) fn refusal(self, what: &str, there: u64) -> Option<TargetError> {
        let holds = format!("it holds about {there} documents");
        let (message, help) = match self {
            Self::Ours => return None,
            Self::OfAnotherPlan => (
                format!("{what} was loaded from another data plan (or by another seed); {holds}"),
                CURES.to_owned(),
            ),
            Self::Stranger => (
                format!("{what} exists and was not made by docstone; {holds}"),
                CURES.to_owned(),
            ),
            Self::MadeAgain => (
                format!(
                    "{what} was dropped and made again, or restored, since docstone loaded it: its \
                     UUID is another; {holds}"
                ),
                format!("{CURES}; or use another name"),
            ),
            Self::View => (
                format!("{what} is a view, and what docstone loaded was a collection"),
                "drop the view, or use another name".to_owned(),
            ),
            Self::Unknown(Why::Hidden) => (
                format!(
                    "{what} may have been dropped and made again since docstone loaded it: its \
                     UUID is not known, since the user may not list the collections; {holds}"
                ),
                format!(
                    "give the user the privilege listCollections on the database (readWrite has \
                     it); or {CURES}"
                ),
            ),
            Self::Unknown(Why::Unmarked) => (
                format!(
                    "{what} may have been dropped and made again since docstone loaded it: no UUID \
                     is noted in its marker, as by an older docstone, or by a user who may not list \
                     the collections; {holds}"
                ),
                format!("{CURES}, and notes the UUID for the next time"),
            ),
        };
        Some(plan_error(message, Some(&help)))
    }

    /// True if the documents follow from the plan and seed, as far as is known.
    pub(super) fn is_of_plan(self, marker: Option<&Marker>, data_hash: &str) -> bool {
        let same_plan = marker.is_some_and(|marker| marker.data_hash == data_hash);
        matches!(self, Self::Ours | Self::Unknown(_)) && same_plan
    }
}

const CURES: &str = "--drop drops it and loads anew; --reuse keeps it and loads what is missing";

#[cfg(test)]
mod tests {
    use super::*;
    use bson::Uuid;

    const MADE: Uuid = Uuid::from_bytes([1; 16]);

    fn marker(uuid: Option<Uuid>, complete: bool) -> Marker {
        Marker {
            collection: "orders".to_owned(),
            uuid,
            data_hash: "ab".to_owned(),
            count: 10,
            complete,
            era: 0,
            inserted: false,
            deleted: false,
            left: None,
        }
    }

    fn shown(byte: u8) -> Identity {
        Identity::Shown {
            uuid: Some(Uuid::from_bytes([byte; 16])),
            capped: false,
        }
    }

    fn standing(marker: Option<&Marker>, there: u64, identity: &Identity) -> Standing {
        Standing::of(marker, "ab", there, identity)
    }

    #[test]
    fn a_collection_is_docstones_by_its_uuid_and_a_plans_by_its_hash() {
        let known = marker(Some(MADE), true);
        assert_eq!(standing(Some(&known), 10, &shown(1)), Standing::Ours);
        assert_eq!(standing(Some(&known), 10, &shown(2)), Standing::MadeAgain);
        assert_eq!(standing(Some(&known), 0, &shown(2)), Standing::MadeAgain);
        let view = Identity::Shown {
            uuid: None,
            capped: false,
        };
        assert_eq!(standing(Some(&known), 10, &view), Standing::View);
        let refusal = Standing::View.refusal("db.c", 10).expect("refused");
        assert!(refusal.message.contains("is a view"), "{refusal:?}");
        let other = Standing::of(Some(&known), "cd", 10, &shown(1));
        assert_eq!(other, Standing::OfAnotherPlan);
        assert_eq!(standing(None, 0, &shown(1)), Standing::Stranger);
    }

    #[test]
    fn without_both_uuids_nothing_is_taken_for_docstones_but_what_is_empty_and_unfinished() {
        let (known, unknown) = (marker(Some(MADE), true), marker(None, true));
        let hidden = Standing::Unknown(Why::Hidden);
        assert_eq!(standing(Some(&known), 10, &Identity::Hidden), hidden);
        let unmarked = Standing::Unknown(Why::Unmarked);
        assert_eq!(standing(Some(&unknown), 10, &shown(1)), unmarked);
        assert_eq!(standing(Some(&unknown), 0, &shown(1)), unmarked);
        let begun = marker(None, false);
        assert_eq!(standing(Some(&begun), 0, &shown(1)), Standing::Ours);
        assert_eq!(standing(Some(&begun), 1, &shown(1)), unmarked);
        assert_eq!(standing(Some(&begun), 1, &Identity::Hidden), hidden);
    }

    #[test]
    fn each_refusal_names_the_collection_and_the_cures() {
        let all = [
            Standing::OfAnotherPlan,
            Standing::MadeAgain,
            Standing::Unknown(Why::Hidden),
            Standing::Unknown(Why::Unmarked),
            Standing::Stranger,
        ];
        for standing in all {
            let error = standing.refusal("shop.orders", 7).expect("refused");
            assert!(error.message.contains("shop.orders"), "{error}");
            let help = error.help.expect("a cure");
            assert!(
                help.contains("--drop") && help.contains("--reuse"),
                "{help}"
            );
        }
        assert_eq!(Standing::Ours.refusal("shop.orders", 7).map(drop), None);
    }
}
