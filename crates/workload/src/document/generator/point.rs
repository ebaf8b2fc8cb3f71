//! `$point`.

use bson::spec::ElementType;
use docstone_model::template;

use super::value::Value;
use crate::draw::Draw;

#[derive(Debug)]
pub(super) struct Point {
    west: f64,
    width: f64,
    /// The sines of the smallest and the largest latitude: on a sphere, areas go by them
    /// (Archimedes' hat-box theorem).
    south_sine: f64,
    north_sine: f64,
}

impl Point {
    pub(super) fn new(of: &template::Point) -> Self {
        Self {
            west: of.west,
            width: of.east - of.west,
            south_sine: of.south.to_radians().sin(),
            north_sine: of.north.to_radians().sin(),
        }
    }
}

/// `{type: "Point", coordinates: [`, as BSON, with the lengths of both.
const BEFORE: &[u8] = b"\x3d\0\0\0\x02type\0\x06\0\0\0Point\0\x04coordinates\0\x1b\0\0\0";

impl Value for Point {
    fn element_type(&self) -> u8 {
        ElementType::EmbeddedDocument as u8
    }

    fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        let longitude = self.west + draw.unit() * self.width;
        let sine = self.south_sine + draw.unit() * (self.north_sine - self.south_sine);
        let latitude = sine.clamp(-1.0, 1.0).asin().to_degrees();
        out.extend_from_slice(BEFORE);
        for (name, degrees) in [(b'0', longitude), (b'1', latitude)] {
            out.extend_from_slice(&[ElementType::Double as u8, name, 0]);
            out.extend_from_slice(&degrees.to_le_bytes());
        }
        out.extend_from_slice(&[0, 0]);
    }
}
