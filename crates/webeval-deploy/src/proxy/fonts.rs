//! Google Fonts, from the packages that Fontsource makes of them.

use super::cdn::Found;
use super::packages::{Package, Packages};

/// Weights that a package has files of, when the style sheet does not say which are wanted.
const USUAL: &[u16] = &[400];

/// A family that a style sheet asks for.
#[derive(Debug, PartialEq, Eq)]
struct Family {
    name: String,
    /// Weights, and whether they are wanted in italics.
    faces: Vec<(bool, u16)>,
}

pub(super) async fn find(host: &str, path: &str, query: &str, packages: &Packages) -> Result<Found, String> {
    if host == "fonts.gstatic.com" {
        return font(path, packages).await;
    }
    match path {
        "css" | "css2" => sheet(query, packages).await,
        "icon" => Err("icon fonts are not among the packages of text fonts".to_owned()),
        _ => Err("not a style sheet".to_owned()),
    }
}

/// A font file, by the address that our own style sheets give it.
async fn font(path: &str, packages: &Packages) -> Result<Found, String> {
    let rest = path.strip_prefix("fontsource/").ok_or("not an address of our style sheets")?;
    let (id, file) = rest.split_once('/').ok_or("not a font file")?;
    let package = packages.get(&format!("@fontsource/{id}"), "latest").await?;
    let body = package.read(&format!("files/{file}")).ok_or("the package lacks that file")?;
    Ok(Found {
        body,
        kind: "font/woff2".to_owned(),
        what: format!("{}@{}/files/{file}", package.name, package.version),
    })
}

async fn sheet(query: &str, packages: &Packages) -> Result<Found, String> {
    let families = families(query);
    if families.is_empty() {
        return Err("no family is asked for".to_owned());
    }
    let (mut text, mut what, mut reason) = (String::new(), Vec::new(), String::new());
    for family in families {
        let id = family.name.to_ascii_lowercase().replace(' ', "-");
        match packages.get(&format!("@fontsource/{id}"), "latest").await {
            Ok(package) => {
                text.push_str(&faces(&package, &family, &id));
                what.push(format!("{}@{}", package.name, package.version));
            }
            Err(error) => reason = error,
        }
    }
    if what.is_empty() {
        return Err(reason);
    }
    Ok(Found { body: text.into_bytes(), kind: "text/css; charset=utf-8".to_owned(), what: what.join(", ") })
}

/// The faces that are wanted and that the package has.
fn faces(package: &Package, family: &Family, id: &str) -> String {
    let mut text = String::new();
    for (italic, weight) in &family.faces {
        let style = if *italic { "italic" } else { "normal" };
        for (subset, range) in [
            ("latin-ext", "U+0100-02BA,U+1E00-1E9F,U+20A0-20C0"),
            ("latin", "U+0000-00FF,U+0131,U+0152-0153,U+02BB-02DC,U+2000-206F,U+20AC,U+2122,U+2191-2215"),
        ] {
            let file = format!("{id}-{subset}-{weight}-{style}.woff2");
            if package.read(&format!("files/{file}")).is_none() {
                continue;
            }
            text.push_str(&format!(
                "@font-face {{\n  font-family: '{}';\n  font-style: {style};\n  font-weight: {weight};\n  font-display: swap;\n  \
                 src: url(https://fonts.gstatic.com/fontsource/{id}/{file}) format('woff2');\n  unicode-range: {range};\n}}\n",
                family.name
            ));
        }
    }
    text
}

/// What a query asks for, in either of its two forms: `family=A:400,700i|B` and `family=A:ital,wght@0,400;1,700&family=B`.
fn families(query: &str) -> Vec<Family> {
    let mut found = Vec::new();
    for value in query.split('&').filter_map(|part| part.strip_prefix("family=")) {
        let value = decoded(value);
        for one in value.split('|') {
            let (name, axes) = one.split_once(':').unwrap_or((one, ""));
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ') {
                continue;
            }
            let mut faces = axes.split_once('@').map_or_else(|| listed(axes), |(names, tuples)| by_axes(names, tuples));
            if faces.is_empty() {
                faces = USUAL.iter().map(|weight| (false, *weight)).collect();
            }
            faces.sort_unstable();
            faces.dedup();
            found.push(Family { name: name.to_owned(), faces });
        }
    }
    found
}

fn decoded(text: &str) -> String {
    url::form_urlencoded::parse(format!("v={text}").as_bytes())
        .next()
        .map_or_else(String::new, |(_, value)| value.into_owned())
}

/// `400,700italic,bold`
fn listed(axes: &str) -> Vec<(bool, u16)> {
    let one = |word: &str| {
        let italic = word.ends_with('i') || word.contains("italic");
        let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
        let weight = digits.parse().ok().or_else(|| {
            if word.contains("bold") {
                Some(700)
            } else {
                (word.contains("regular") || word == "italic").then_some(400)
            }
        });
        weight.map(|weight| (italic, weight))
    };
    axes.split(',').filter_map(one).collect()
}

/// `ital,wght@0,400;1,700` and ranges such as `wght@100..900`.
fn by_axes(names: &str, tuples: &str) -> Vec<(bool, u16)> {
    let names: Vec<&str> = names.split(',').collect();
    let at = |axis: &str| names.iter().position(|name| *name == axis);
    let mut found = Vec::new();
    for tuple in tuples.split(';') {
        let values: Vec<&str> = tuple.split(',').collect();
        let italic = at("ital").and_then(|at| values.get(at)).is_some_and(|value| *value == "1");
        let weight = at("wght").and_then(|at| values.get(at)).copied().unwrap_or("400");
        match weight.split_once("..") {
            Some((low, high)) => {
                let bounds = (low.parse().unwrap_or(100), high.parse().unwrap_or(900));
                found.extend(
                    (1..=9)
                        .map(|hundred| hundred * 100)
                        .filter(|weight| (bounds.0..=bounds.1).contains(weight))
                        .map(|weight| (italic, weight)),
                );
            }
            None => found.extend(weight.parse().ok().map(|weight| (italic, weight))),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::families;

    #[test]
    fn both_forms_of_a_query_are_read() {
        let old = families("family=Open+Sans:400,700i|Roboto&display=swap");
        assert_eq!(
            (old[0].name.as_str(), old[0].faces.as_slice()),
            ("Open Sans", [(false, 400), (true, 700)].as_slice())
        );
        assert_eq!((old[1].name.as_str(), old[1].faces.as_slice()), ("Roboto", [(false, 400)].as_slice()));
        let new = families("family=Inter:ital,wght@0,400;0,600;1,400&family=Space+Grotesk:wght@300..500");
        assert_eq!(new[0].faces, [(false, 400), (false, 600), (true, 400)]);
        assert_eq!(new[1].faces, [(false, 300), (false, 400), (false, 500)]);
    }
}
