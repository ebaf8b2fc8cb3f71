//! How tables look.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};
use comfy_table::{ContentLineStyle, LineStyle, TableStyle};

/// A line under the header, blanks between columns, nothing else.
pub(crate) const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('-').junction('-'))
    .content_lines(ContentLineStyle::none());

/// A table without colour: the first column to the left, numbers to the right.
pub(crate) fn lines(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Vec<String> {
    let mut table = Table::new();
    let _ = table
        .load_style(STYLE)
        .force_no_tty()
        .set_content_arrangement(ContentArrangement::Disabled);
    let cell = |(at, text): (usize, String)| {
        let alignment = if at == 0 {
            CellAlignment::Left
        } else {
            CellAlignment::Right
        };
        Cell::new(text).set_alignment(alignment)
    };
    let cells = |row: Vec<String>| row.into_iter().enumerate().map(cell);
    let head = head.iter().map(|&name| name.to_owned()).collect();
    let _ = table.set_header(cells(head));
    for row in rows {
        let _ = table.add_row(cells(row));
    }
    let text = table.to_string();
    text.lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}
