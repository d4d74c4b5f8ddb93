//! Arithmetic on boxes.

use webeval_evidence::Rect;

/// What the checks ask of a box.
pub(crate) trait RectExt: Sized {
    fn of(numbers: [f64; 4]) -> Self;
    fn right(&self) -> f64;
    fn bottom(&self) -> f64;
    fn area(&self) -> f64;
    fn intersection(&self, other: &Self) -> Option<Self>;
    fn union(&self, other: &Self) -> Self;
    /// Whether `other` lies inside, give or take `slack` pixels.
    fn contains(&self, other: &Self, slack: f64) -> bool;

    /// Area shared with `other`.
    fn shared(&self, other: &Self) -> f64 {
        self.intersection(other).map_or(0.0, |both| both.area())
    }

    /// Area shared with `other` as a share of the smaller of the two, 0 to 1.
    fn overlap(&self, other: &Self) -> f64 {
        let smaller = self.area().min(other.area());
        if smaller > 0.0 { self.shared(other) / smaller } else { 0.0 }
    }
}

impl RectExt for Rect {
    fn of([x, y, width, height]: [f64; 4]) -> Self {
        Self { x, y, width, height }
    }

    fn right(&self) -> f64 {
        self.x + self.width
    }

    fn bottom(&self) -> f64 {
        self.y + self.height
    }

    fn area(&self) -> f64 {
        self.width * self.height
    }

    fn intersection(&self, other: &Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let width = self.right().min(other.right()) - x;
        let height = self.bottom().min(other.bottom()) - y;
        (width > 0.0 && height > 0.0).then_some(Self { x, y, width, height })
    }

    fn union(&self, other: &Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self { x, y, width: self.right().max(other.right()) - x, height: self.bottom().max(other.bottom()) - y }
    }

    fn contains(&self, other: &Self, slack: f64) -> bool {
        other.x >= self.x - slack
            && other.y >= self.y - slack
            && other.right() <= self.right() + slack
            && other.bottom() <= self.bottom() + slack
    }
}

/// The middle value; the lower of the two middle ones when their number is even.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}
