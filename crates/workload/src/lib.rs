//! Seeded operations, keys and documents: from templates to encoded BSON.
