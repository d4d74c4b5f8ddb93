//! The words that dates and clocks are made of, in the languages whose locales are common.

/// Whether `word` is a month, in full or as abbreviated, in any case.
pub(super) fn is_month(word: &[u8]) -> bool {
    const MONTHS: &[&str] = &[
        "jan",
        "january",
        "feb",
        "february",
        "mar",
        "march",
        "apr",
        "april",
        "may",
        "jun",
        "june",
        "jul",
        "july",
        "aug",
        "august",
        "sep",
        "sept",
        "september",
        "oct",
        "october",
        "nov",
        "november",
        "dec",
        "december",
        // German, Dutch.
        "januar",
        "februar",
        "märz",
        "mrz",
        "mai",
        "juni",
        "juli",
        "okt",
        "oktober",
        "dez",
        "dezember",
        "januari",
        "februari",
        "maart",
        "mrt",
        "mei",
        "augustus",
        // French.
        "janvier",
        "janv",
        "février",
        "févr",
        "avril",
        "avr",
        "juin",
        "juillet",
        "juil",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
        "déc",
        // Spanish, Portuguese, Italian.
        "enero",
        "ene",
        "febrero",
        "marzo",
        "abril",
        "abr",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
        "dic",
        "janeiro",
        "fevereiro",
        "fev",
        "março",
        "maio",
        "junho",
        "julho",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
        "gennaio",
        "febbraio",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "settembre",
        "ottobre",
        "dicembre",
    ];
    (3..=10).contains(&word.len()) && MONTHS.iter().any(|m| word.eq_ignore_ascii_case(m.as_bytes()))
}

/// Whether `word` is a weekday in English or German, in full or as abbreviated.
pub(super) fn is_weekday(word: &[u8]) -> bool {
    const WEEKDAYS: &[&str] = &[
        "mon",
        "tue",
        "tues",
        "wed",
        "thu",
        "thur",
        "thurs",
        "fri",
        "sat",
        "sun",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "montag",
        "dienstag",
        "mittwoch",
        "donnerstag",
        "freitag",
        "samstag",
        "sonntag",
        "mo",
        "di",
        "mi",
        "do",
        "fr",
        "sa",
        "so",
        "lundi",
        "mardi",
        "mercredi",
        "jeudi",
        "vendredi",
        "samedi",
        "dimanche",
        "lunes",
        "martes",
        "jueves",
        "viernes",
        "domingo",
    ];
    word.first().is_some_and(u8::is_ascii_uppercase) && WEEKDAYS.iter().any(|d| word.eq_ignore_ascii_case(d.as_bytes()))
}

/// Whether `word` is a unit of time, in full or as abbreviated.
pub(super) fn is_unit(word: &[u8]) -> bool {
    const UNITS: &[&str] = &[
        "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour",
        "hours", "d", "day", "days", "w", "wk", "week", "weeks", "mo", "month", "months", "y", "yr", "yrs", "year",
        "years", "ms", "Sekunde", "Sekunden", "Minute", "Minuten", "Stunde", "Stunden", "Tag", "Tagen", "Woche",
        "Wochen", "Monat", "Monaten", "Jahr", "Jahren", "seconde", "secondes", "heure", "heures", "jour", "jours",
        "semaine", "semaines", "mois", "an", "ans", "segundo", "segundos", "minuto", "minutos", "hora", "horas", "día",
        "días", "dia", "dias", "semana", "semanas", "mes", "meses", "año", "años",
    ];
    (1..=9).contains(&word.len()) && UNITS.iter().any(|u| word.eq_ignore_ascii_case(u.as_bytes()))
}

/// Whether `word` is a unit that a running clock ends in.
pub(super) fn is_seconds(word: &[u8]) -> bool {
    ["s", "sec", "secs", "second", "seconds"].iter().any(|u| word == u.as_bytes())
}

/// Units written without a space, before 前 or 전.
pub(super) const EASTERN_UNITS: &[&str] = &[
    "秒钟", "秒", "分钟", "分", "小时", "時間", "天", "日", "周", "週間", "个月", "か月", "年", "초", "분", "시간",
    "일",
];

/// What makes a quantity of time relative to now.
pub(super) const SUFFIXES: &[&str] = &["ago", "left", "remaining", "elapsed", "from now", "to go", "fa"];

/// What may stand before a relative time.
pub(super) const QUALIFIERS: &[&str] = &["about", "almost", "over", "less than", "more than", "nearly", "around"];

/// What makes the quantity after it relative to now.
pub(super) const OPENINGS: &[&str] = &["in", "vor", "il y a", "hace", "há"];

/// Names of time zones.
pub(super) const ZONES: &[&str] =
    &["UTC", "GMT", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "CET", "CEST", "BST", "IST", "JST", "AEST"];
