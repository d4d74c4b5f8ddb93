use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Column that stands for "to the end of the line".
///
/// Istanbul's source-map tools write `Infinity` there, which JSON turns into `null`.
pub const END_OF_LINE: u32 = u32::MAX;

/// A place in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 0, in UTF-16 units; [`END_OF_LINE`] when only the line is known.
    #[serde(serialize_with = "write_column", deserialize_with = "read_column")]
    pub column: u32,
}

fn write_column<S: Serializer>(column: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    match *column {
        END_OF_LINE => serializer.serialize_none(),
        column => serializer.serialize_u32(column),
    }
}

fn read_column<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(Option::<u32>::deserialize(deserializer)?.unwrap_or(END_OF_LINE))
}

/// A stretch of source, its end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Range {
    /// First place.
    pub start: Position,
    /// The place after the last.
    pub end: Position,
}

impl Range {
    /// A range from line and column to line and column.
    #[must_use]
    pub const fn new(start: (u32, u32), end: (u32, u32)) -> Self {
        Self { start: Position { line: start.0, column: start.1 }, end: Position { line: end.0, column: end.1 } }
    }

    /// Whether the other range lies within this one.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Where a branch's arm lies. An `else` that is not written has no place: Istanbul writes `{"start":{},"end":{}}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ArmLocation(
    /// The range, or `None` for an arm without text.
    pub Option<Range>,
);

#[derive(Deserialize)]
struct LooseRange {
    start: LoosePosition,
    end: LoosePosition,
}

#[derive(Deserialize)]
struct LoosePosition {
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    column: Option<u32>,
}

impl<'de> Deserialize<'de> for ArmLocation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let loose = LooseRange::deserialize(deserializer)?;
        let position =
            |at: LoosePosition| at.line.map(|line| Position { line, column: at.column.unwrap_or(END_OF_LINE) });
        let (Some(start), Some(end)) = (position(loose.start), position(loose.end)) else {
            return Ok(Self(None));
        };
        Ok(Self(Some(Range { start, end })))
    }
}

impl Serialize for ArmLocation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Nothing {}
        #[derive(Serialize)]
        struct Nowhere {
            start: Nothing,
            end: Nothing,
        }
        match self.0 {
            Some(range) => range.serialize(serializer),
            None => Nowhere { start: Nothing {}, end: Nothing {} }.serialize(serializer),
        }
    }
}
