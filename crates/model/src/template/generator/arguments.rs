//! What a generator of a plain value says of itself, so that nothing else need know it.

/// The arguments of a generator whose value follows from the seed and the document's number alone.
pub trait Arguments {
    /// What is wrong with them, if anything; begins with the argument's name in backticks.
    fn fault(&self) -> Option<String> {
        None
    }

    /// The most bytes of a value in BSON, without its type and name.
    fn largest_bytes(&self) -> u64;

    /// True if all values have that many bytes.
    fn has_one_length(&self) -> bool {
        true
    }

    /// How many values there are, each with the same probability; 1 where some are favoured.
    fn values(&self) -> f64;
}
