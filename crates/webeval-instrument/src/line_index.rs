//! From byte offsets to lines and UTF-16 columns.

use memchr::memmem;

use crate::coverage::{Position, Range};

/// Bytes in a block; each block knows the line it starts on, so that no search is needed.
const BLOCK: u32 = 7;

/// Line starts of a source, and where its bytes are not UTF-16 units.
#[derive(Debug)]
pub(crate) struct LineIndex<'s> {
    bytes: &'s [u8],
    starts: Vec<u32>,
    block_lines: Vec<u32>,
    /// For sources with other than ASCII text: the lines that have some, a bit each.
    wide: Vec<u64>,
    /// For sources with other than ASCII text: bytes minus UTF-16 units before each block.
    surplus: Option<Vec<i32>>,
}

impl<'s> LineIndex<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        let bytes = source.as_bytes();
        let ascii = source.is_ascii();
        let starts = line_starts(bytes, ascii);
        let blocks = (bytes.len() >> BLOCK) + 1;
        let mut block_lines = Vec::with_capacity(blocks);
        let mut line = 0;
        for block in 0..blocks {
            let offset = (block << BLOCK) as u32;
            while starts.get(line + 1).is_some_and(|&start| start <= offset) {
                line += 1;
            }
            block_lines.push(line as u32);
        }
        let surplus = (!ascii).then(|| {
            let mut total = 0;
            let sums = bytes.chunks(1 << BLOCK).map(|chunk| {
                total += surplus_of(chunk);
                total
            });
            std::iter::once(0).chain(sums).collect()
        });
        let wide = if ascii { Vec::new() } else { wide_lines(bytes, &starts) };
        Self { bytes, starts, block_lines, wide, surplus }
    }

    /// Line and column of a byte offset.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let offset = offset.min(self.bytes.len() as u32);
        let mut line = self.block_lines[(offset >> BLOCK) as usize] as usize;
        while self.starts.get(line + 1).is_some_and(|&start| start <= offset) {
            line += 1;
        }
        let start = self.starts[line];
        let mut column = offset - start;
        if self.is_wide(line) {
            column -= (self.surplus_before(offset) - self.surplus_before(start)) as u32;
        }
        Position { line: line as u32 + 1, column }
    }

    /// Lines and columns of a stretch of bytes.
    pub(crate) fn range(&self, start: u32, end: u32) -> Range {
        Range { start: self.position(start), end: self.position(end) }
    }

    /// Byte offset of a position, held within the source and within the line.
    pub(crate) fn offset(&self, at: Position) -> u32 {
        let line = (at.line.max(1) - 1) as usize;
        let size = self.bytes.len() as u32;
        let Some(&start) = self.starts.get(line) else {
            return size;
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(size);
        if !self.is_wide(line) {
            return start.saturating_add(at.column).min(end);
        }
        let (mut offset, mut units) = (start as usize, 0);
        while offset < end as usize && units < at.column {
            let width = utf8_width(self.bytes[offset]);
            units += if width == 4 { 2 } else { 1 };
            offset += width;
        }
        offset as u32
    }

    /// UTF-16 units before a byte offset.
    pub(crate) fn utf16_offset(&self, offset: u32) -> u32 {
        offset - self.surplus_before(offset) as u32
    }

    /// Where a line starts and where the next one does.
    pub(crate) fn line_span(&self, line: u32) -> (u32, u32) {
        let line = line as usize;
        let end = self.starts.get(line).copied().unwrap_or(self.bytes.len() as u32);
        (self.starts[line - 1], end)
    }

    /// Column of an offset that is known to be on a line.
    pub(crate) fn column(&self, line: u32, offset: u32) -> u32 {
        let start = self.starts.get(line as usize - 1).copied().unwrap_or_default();
        let column = offset.saturating_sub(start);
        if !self.is_wide(line as usize - 1) {
            return column;
        }
        column - (self.surplus_before(offset) - self.surplus_before(start)) as u32
    }

    /// Where a line starts, if it has nothing but ASCII text and columns are bytes.
    pub(crate) fn ascii_line_start(&self, line: u32) -> Option<u32> {
        let index = line as usize - 1;
        if self.is_wide(index) { None } else { self.starts.get(index).copied() }
    }

    pub(crate) fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Whether a line, from 0, has other than ASCII text.
    fn is_wide(&self, line: usize) -> bool {
        self.wide.get(line / 64).is_some_and(|bits| bits >> (line % 64) & 1 == 1)
    }

    fn surplus_before(&self, offset: u32) -> i32 {
        let Some(surplus) = &self.surplus else {
            return 0;
        };
        let block = (offset >> BLOCK) as usize;
        surplus[block] + surplus_of(&self.bytes[block << BLOCK..offset as usize])
    }
}

fn wide_lines(bytes: &[u8], starts: &[u32]) -> Vec<u64> {
    let mut wide = vec![0; starts.len() / 64 + 1];
    for (line, &start) in starts.iter().enumerate() {
        let end = starts.get(line + 1).map_or(bytes.len(), |&end| end as usize);
        if !bytes[start as usize..end].is_ascii() {
            wide[line / 64] |= 1 << (line % 64);
        }
    }
    wide
}

fn utf8_width(lead: u8) -> usize {
    match lead {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}

/// Bytes that are not UTF-16 units: continuation bytes, less one for each character that takes two units.
fn surplus_of(bytes: &[u8]) -> i32 {
    bytes.iter().map(|&byte| i32::from(byte & 0xC0 == 0x80) - i32::from(byte >= 0xF0)).sum()
}

fn line_starts(bytes: &[u8], ascii: bool) -> Vec<u32> {
    let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
    starts.push(0);
    if memchr::memchr(b'\r', bytes).is_none() {
        starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
    } else {
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
    }
    if !ascii {
        // U+2028 and U+2029 end lines in JavaScript.
        let before = starts.len();
        for at in memmem::find_iter(bytes, b"\xE2\x80") {
            if matches!(bytes.get(at + 2), Some(0xA8 | 0xA9)) {
                starts.push(at as u32 + 3);
            }
        }
        if starts.len() > before {
            starts.sort_unstable();
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_units_on_every_kind_of_line() {
        let source = "é😀x\r\nb\rc\u{2028}d\n";
        let index = LineIndex::new(source);
        let at = |needle: char| {
            let Position { line, column } = index.position(source.find(needle).expect("there") as u32);
            (line, column)
        };
        // é is one unit, the face two.
        assert_eq!(at('x'), (1, 3));
        assert_eq!(at('b'), (2, 0));
        assert_eq!(at('c'), (3, 0));
        assert_eq!(at('d'), (4, 0));
        assert_eq!(index.position(source.len() as u32), Position { line: 5, column: 0 });
    }

    #[test]
    fn long_lines_agree_with_a_plain_count() {
        let source = "aé😀\n".repeat(99) + &"ü😀b".repeat(200);
        let index = LineIndex::new(&source);
        for (offset, _) in source.char_indices().chain([(source.len(), ' ')]) {
            let before = &source[..offset];
            let line = before.matches('\n').count() as u32 + 1;
            let column = before.rsplit('\n').next().unwrap_or("").encode_utf16().count() as u32;
            let position = Position { line, column };
            assert_eq!(index.position(offset as u32), position);
            assert_eq!(index.offset(position), offset as u32);
            assert_eq!(index.utf16_offset(offset as u32), before.encode_utf16().count() as u32);
        }
    }
}
