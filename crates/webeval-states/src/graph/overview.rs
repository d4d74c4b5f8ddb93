//! A page of text about a graph, for a model that has little room.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{GraphView, ViewState, ViewTransition};
use crate::StateId;

/// One line of the overview: where it stands, how much it matters, and what it says.
struct Item {
    /// Lines are written in this order.
    place: (usize, usize),
    /// Lines are chosen in this order.
    rank: (u8, Reverse<u64>, usize),
    text: String,
    is_state: bool,
}

impl GraphView {
    /// The view in words, at most `max_chars` characters (Unicode scalar values) long.
    ///
    /// Where not everything fits, what matters most is told: the entry and the most visited states, then
    /// transitions that failed, then those that covered most new code. Nothing is cut in the middle; the last line
    /// counts what was left out.
    #[must_use]
    pub fn overview(&self, max_chars: usize) -> String {
        let head = self.head();
        let mut items = self.items();
        let all: usize = head.chars().count() + items.iter().map(Item::cost).sum::<usize>();
        if all <= max_chars {
            items.sort_by_key(|item| item.place);
            return items.iter().fold(head, |text, item| text + &item.text + "\n");
        }
        self.ranked(&head, items, max_chars)
    }

    fn ranked(&self, head: &str, mut items: Vec<Item>, max_chars: usize) -> String {
        let states = items.iter().filter(|item| item.is_state).count();
        let rest =
            |states: usize, transitions: usize| format!("({states} states, {transitions} transitions left out)\n");
        let reserve = rest(states, items.len() - states).chars().count();
        let Some(mut room) = max_chars.checked_sub(head.chars().count() + reserve) else {
            return String::new();
        };
        items.sort_by_key(|item| item.rank);
        let (mut left_states, mut left_transitions) = (0, 0);
        let mut shown = vec![false; self.states.len()];
        let mut chosen = Vec::new();
        for item in items {
            // A transition makes no sense without the line of the state that it leaves.
            let speaks = item.is_state || shown[item.place.0];
            let cost = item.cost();
            if speaks && cost <= room {
                room -= cost;
                shown[item.place.0] |= item.is_state;
                chosen.push(item);
            } else if item.is_state {
                left_states += 1;
            } else {
                left_transitions += 1;
            }
        }
        chosen.sort_by_key(|item| item.place);
        chosen.iter().fold(head.to_owned(), |text, item| text + &item.text + "\n")
            + &rest(left_states, left_transitions)
    }

    fn head(&self) -> String {
        let exact: usize = self.states.iter().map(|state| state.members.len()).sum();
        let actions: u64 = self.transitions.iter().map(|t| t.count).sum();
        let failed: u64 = self.transitions.iter().map(|t| t.failed).sum();
        format!(
            "{} states at level {} ({exact} exact), {} transitions, {actions} actions, {failed} failed\n",
            self.states.len(),
            self.level.number(),
            self.transitions.len()
        )
    }

    fn items(&self) -> Vec<Item> {
        let numbers: BTreeMap<StateId, usize> =
            self.states.iter().enumerate().map(|(number, state)| (state.id, number)).collect();
        let mut items: Vec<Item> = self.states.iter().enumerate().map(|(i, state)| state_item(i, state)).collect();
        for (i, transition) in self.transitions.iter().enumerate() {
            if let (Some(from), Some(to)) = (numbers.get(&transition.from), numbers.get(&transition.to)) {
                items.push(transition_item(i, transition, *from, *to));
            }
        }
        items
    }
}

impl Item {
    fn cost(&self) -> usize {
        self.text.chars().count() + 1
    }
}

fn state_item(number: usize, state: &ViewState) -> Item {
    let mut text = format!("S{}", number + 1);
    if !state.title.is_empty() {
        text += &format!(" \"{}\"", clip(&state.title));
    }
    if !state.url.is_empty() {
        text += &format!(" {}", clip(&state.url));
    }
    text += &format!(", {}", times(state.visits, "visit"));
    if state.members.len() > 1 {
        text += &format!(" in {} variants", state.members.len());
    }
    for (holds, word) in
        [(state.entry, "entry"), (state.dead_end, "dead end"), (state.without_return, "no way back to the entry")]
    {
        if holds {
            text += ", ";
            text += word;
        }
    }
    Item { place: (number, 0), rank: (u8::from(!state.entry), Reverse(state.visits), number), text, is_state: true }
}

fn transition_item(index: usize, transition: &ViewTransition, from: usize, to: usize) -> Item {
    let mut text = format!("  {} -> ", clip(&transition.action));
    text += &if from == to { "same".to_owned() } else { format!("S{}", to + 1) };
    if transition.count > 1 {
        text += &format!(", {} times", transition.count);
    }
    if transition.failed > 0 {
        text += &format!(", failed {}", times(transition.failed, "time"));
    }
    if transition.gain > 0 {
        text += &format!(", +{} statements", transition.gain);
    }
    let rank = if transition.failed > 0 {
        (2, Reverse(transition.failed), index)
    } else {
        (3, Reverse(transition.gain), index)
    };
    Item { place: (from, index + 1), rank, text, is_state: false }
}

fn times(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// One line of at most 100 characters, an ellipsis for the rest.
fn clip(text: &str) -> String {
    let mut words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = words.char_indices().nth(100) {
        words.truncate(at);
        words.push('…');
    }
    words
}
