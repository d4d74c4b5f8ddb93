//! The words that dates and clocks are made of, in the languages whose locales are common.

/// The longest word that is looked for, in bytes.
pub(super) const MAX_WORD: usize = 16;

/// `word` in lower case, if it is short enough to be looked for. Letters beyond ASCII are taken as they are.
fn lower(word: &[u8], buffer: &mut [u8; MAX_WORD]) -> Option<usize> {
    let room = buffer.get_mut(..word.len())?;
    for (to, from) in room.iter_mut().zip(word) {
        *to = from.to_ascii_lowercase();
    }
    Some(word.len())
}

/// Declares a set of words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident: $($word:literal)|*) => {
        $(#[$doc])*
        pub(super) fn $name(word: &[u8]) -> bool {
            let mut buffer = [0; MAX_WORD];
            lower(word, &mut buffer).is_some_and(|len| matches!(&buffer[..len], $($word)|*))
        }
    };
}

words! {
    /// Whether `word` is a month, in full or as abbreviated, in English, German, Dutch, French, Spanish, Portuguese
    /// or Italian.
    is_month: b"jan" | b"january" | b"feb" | b"february" | b"mar" | b"march" | b"apr" | b"april" | b"may" | b"jun" | b"june" | b"jul" | b"july" | b"aug" | b"august" | b"sep" | b"sept" | b"september" | b"oct" | b"october" | b"nov" | b"november" | b"dec" | b"december" | b"januar" | b"februar" | b"m\xc3\xa4rz" | b"mrz" | b"mai" | b"juni" | b"juli" | b"okt" | b"oktober" | b"dez" | b"dezember" | b"januari" | b"februari" | b"maart" | b"mrt" | b"mei" | b"augustus" | b"janvier" | b"janv" | b"f\xc3\xa9vrier" | b"f\xc3\xa9vr" | b"avril" | b"avr" | b"juin" | b"juillet" | b"juil" | b"ao\xc3\xbbt" | b"septembre" | b"octobre" | b"novembre" | b"d\xc3\xa9cembre" | b"d\xc3\xa9c" | b"enero" | b"ene" | b"febrero" | b"marzo" | b"abril" | b"abr" | b"mayo" | b"junio" | b"julio" | b"agosto" | b"septiembre" | b"octubre" | b"noviembre" | b"diciembre" | b"dic" | b"janeiro" | b"fevereiro" | b"fev" | b"mar\xc3\xa7o" | b"maio" | b"junho" | b"julho" | b"setembro" | b"outubro" | b"novembro" | b"dezembro" | b"gennaio" | b"febbraio" | b"aprile" | b"maggio" | b"giugno" | b"luglio" | b"settembre" | b"ottobre" | b"dicembre"
}

words! {
    /// Whether `word` is a weekday, in full or as abbreviated, or one by its distance from today.
    is_weekday: b"mon" | b"tue" | b"tues" | b"wed" | b"thu" | b"thur" | b"thurs" | b"fri" | b"sat" | b"sun" | b"monday" | b"tuesday" | b"wednesday" | b"thursday" | b"friday" | b"saturday" | b"sunday" | b"montag" | b"dienstag" | b"mittwoch" | b"donnerstag" | b"freitag" | b"samstag" | b"sonntag" | b"mo" | b"di" | b"mi" | b"do" | b"fr" | b"sa" | b"so" | b"lundi" | b"mardi" | b"mercredi" | b"jeudi" | b"vendredi" | b"samedi" | b"dimanche" | b"lunes" | b"martes" | b"jueves" | b"viernes" | b"domingo" | b"yesterday" | b"today" | b"tomorrow"
}

words! {
    /// Whether `word` is a unit of time, in full or as abbreviated.
    is_unit: b"s" | b"sec" | b"secs" | b"second" | b"seconds" | b"m" | b"min" | b"mins" | b"minute" | b"minutes" | b"h" | b"hr" | b"hrs" | b"hour" | b"hours" | b"d" | b"day" | b"days" | b"w" | b"wk" | b"week" | b"weeks" | b"mo" | b"month" | b"months" | b"y" | b"yr" | b"yrs" | b"year" | b"years" | b"ms" | b"sekunde" | b"sekunden" | b"minuten" | b"stunde" | b"stunden" | b"tag" | b"tagen" | b"woche" | b"wochen" | b"monat" | b"monaten" | b"jahr" | b"jahren" | b"seconde" | b"secondes" | b"heure" | b"heures" | b"jour" | b"jours" | b"semaine" | b"semaines" | b"mois" | b"an" | b"ans" | b"segundo" | b"segundos" | b"minuto" | b"minutos" | b"hora" | b"horas" | b"d\xc3\xada" | b"d\xc3\xadas" | b"dia" | b"dias" | b"semana" | b"semanas" | b"mes" | b"meses" | b"a\xc3\xb1o" | b"a\xc3\xb1os"
}

words! {
    /// Whether a phrase that is relative to now may start with `word`.
    opens_phrase: b"just" | b"moments" | b"a" | b"an" | b"one" | b"few" | b"about" | b"almost" | b"over" | b"less" | b"more" | b"nearly" | b"around" | b"in" | b"vor" | b"il" | b"hace" | b"h\xc3\xa1"
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
