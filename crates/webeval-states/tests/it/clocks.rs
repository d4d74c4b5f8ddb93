//! Clock and date strings go, numbers that are data stay.

use crate::exact;

fn text(text: &str) -> String {
    let form = exact(&format!("<p>{text}</p>"));
    form.strip_prefix("<p>").and_then(|f| f.strip_suffix("</p>")).expect("one paragraph").to_owned()
}

#[test]
fn clocks_alone_become_the_placeholder() {
    let clocks = [
        // ISO 8601.
        "2026-11-30",
        "2026/11/30",
        "2026-11-30T02:00:18Z",
        "2026-11-30T02:00:18.123Z",
        "2026-11-30T02:00:18+01:00",
        "2026-11-30 02:00",
        "20261130T020018Z",
        // RFC 2822 and what JavaScript prints.
        "Mon, 30 Nov 2026 02:00:18 +0000",
        "Mon, 30 Nov 2026 02:00:18 GMT",
        "Mon Nov 30 2026",
        "Mon Nov 30 2026 02:00:18 GMT+0000 (Coordinated Universal Time)",
        "Mon Nov 30 2026 03:00:18 GMT+0100 (Central European Standard Time)",
        // Locale dates.
        "11/30/2026",
        "30/11/2026",
        "11/30/26",
        "30.11.2026",
        "11/30/2026, 2:00:18 AM",
        "11/30/2026, 2:00:18\u{202f}AM",
        "30.11.2026, 02:00:18",
        "Nov 30, 2026",
        "Nov. 30, 2026",
        "November 30th, 2026",
        "30 November 2026",
        "30. November 2026",
        "30 novembre 2026",
        "30 de noviembre de 2026",
        "Monday, November 30, 2026 at 2:00 AM",
        "Monday, November 30",
        "Nov 30",
        "November 2026",
        "2026年11月30日",
        "2026. 11. 30.",
        "30-Nov-2026",
        // Clocks of 12 and 24 hours.
        "02:00",
        "9:05",
        "21:05:33",
        "9:05 PM",
        "9:05pm",
        "9:05&nbsp;p.m.",
        "9 PM",
        "14:30 UTC",
        // Stopwatches and countdowns.
        "00:00",
        "00:00:00",
        "00:01.23",
        "1:02:03.456",
        "100:00:00",
        "2d 3h 4m 5s",
        "05m 30s",
        "1h 2m 3s",
        "2 days, 3 hours, 4 minutes and 5 seconds",
        "12s",
        "3.5 seconds",
        // Relative.
        "3 minutes ago",
        "a minute ago",
        "an hour ago",
        "a few seconds ago",
        "about 3 hours ago",
        "less than a minute ago",
        "5m ago",
        "2h ago",
        "just now",
        "Just now",
        "in 5 minutes",
        "2 days left",
        "1h 20m remaining",
        "vor 3 Minuten",
        "il y a 3 minutes",
        "hace 3 minutos",
        "3分钟前",
        "Yesterday at 5:03 PM",
        "Today, 09:12",
        // Milliseconds since 1970.
        "1764468018123",
    ];
    for clock in clocks {
        assert_eq!(text(clock), "{time}", "{clock}");
    }
}

#[test]
fn clocks_are_found_within_text() {
    for (before, after) in [
        ("Updated 2026-11-30 02:00.", "Updated {time}."),
        ("Last saved at 9:05 PM by Ann", "Last saved at {time} by Ann"),
        ("(3 minutes ago)", "({time})"),
        ("Time: 00:42 Score: 12", "Time: {time} Score: 12"),
        ("09:00-10:30 Standup", "{time}-{time} Standup"),
        ("09:00 – 10:30", "{time} – {time}"),
        ("时间12:30", "时间{time}"),
        ("Posted on Nov 30, 2026 in Rust", "Posted on {time} in Rust"),
        ("Alice · 5 hours ago · 3 replies", "Alice · {time} · 3 replies"),
    ] {
        assert_eq!(text(before), after, "{before}");
    }
}

#[test]
fn data_stays() {
    let data = [
        "$12.30",
        "€1.299,00",
        "1,234,567",
        "Score: 3 - 2",
        "3:2",
        "4:3",
        "16:9 video",
        "Version 1.2.3",
        "v2024.1.15",
        "1.10.2",
        "192.168.1.10",
        "10.11.2026.1",
        "127.0.0.1:8080",
        "+1 555-123-4567",
        "555-12-3456",
        "ISBN 978-3-16-148410-0",
        "9783161484100",
        "© 2026",
        "in 2026",
        "50%",
        "3/4 cup",
        "1/2",
        "24/7",
        "Room 9",
        "12 items left",
        "5 km in 3 m",
        "Chapter 5 may contain",
        "100 m",
        "h264",
        "2h 15m",
        "20 minutes",
        "Level 3",
        "#12",
        "1:99",
        "1:2:3",
        "12:345",
        "aa:bb:12:34:56:ff",
        "3 + 4 = 7",
        "1e10",
        "1234567890",
        "SKU 2024-12345",
        "2024-2025",
        "A4 210x297",
        "5 stars",
        "ago",
        "Santiago",
    ];
    for datum in data {
        assert_eq!(text(datum), datum, "{datum}");
    }
}

#[test]
fn clocks_go_from_attributes_too() {
    assert_eq!(
        exact(r#"<time datetime="2026-11-30T02:00:18Z" title="Mon Nov 30 2026">x</time>"#),
        r#"<time datetime="{time}" title="{time}">x</time>"#
    );
    assert_eq!(
        exact(r#"<div data-created-at="1764468018" data-count="1764468018">x</div>"#),
        r#"<div data-count="1764468018" data-created-at="{time}">x</div>"#
    );
    assert_eq!(exact(r#"<img src="a.png?t=1764468018123&amp;w=5">"#), r#"<img src="a.png?t={time}&amp;w=5">"#);
    // The address of an article is its identity even where it has a date.
    assert_eq!(exact(r#"<a href="/2026/11/30/news">n</a>"#), r#"<a href="/2026/11/30/news">n</a>"#);
}
