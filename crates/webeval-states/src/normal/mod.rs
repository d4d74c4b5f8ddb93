//! Normal forms: one pass over the page builds the exact form, two passes over its arena the coarser ones.

mod address;
mod attributes;
mod class_list;
mod classes;
mod clock;
mod content;
mod facts;
mod ids;
mod page;
mod structure;
mod tag;
mod text;
mod token;
mod vocabulary;

pub(crate) use content::Content;
pub(crate) use page::{Page, parse};
pub(crate) use structure::Structure;

use twox_hash::XxHash3_64;

use crate::{Error, Identity, Level, MAX_BYTES, Options, StateId};

/// All normal forms of one page.
pub(crate) fn identify(html: &str, options: &Options) -> Result<Identity, Error> {
    let page = checked(html, options)?;
    let content = Content::fold(&page);
    let structure = Structure::fold(&page);
    let mut form = String::new();
    content.render(&page, &mut form);
    let level1 = StateId::of_normal_form(&form, Level::Content);
    form.clear();
    structure.render(&page, &mut form);
    Ok(Identity {
        level0: StateId::of_normal_form(&page.exact, Level::Exact),
        level1,
        level2: StateId::of_normal_form(&form, Level::Structure),
    })
}

/// The normal form at one level.
pub(crate) fn normalize(html: &str, level: Level, options: &Options) -> Result<String, Error> {
    let page = checked(html, options)?;
    if level == Level::Exact {
        return Ok(page.exact);
    }
    let mut form = String::new();
    if level == Level::Content {
        Content::fold(&page).render(&page, &mut form);
    } else {
        Structure::fold(&page).render(&page, &mut form);
    }
    Ok(form)
}

/// What [`Profile`](crate::Profile) compares.
pub(crate) fn pairs(html: &str, options: &Options) -> Result<Vec<u64>, Error> {
    let page = checked(html, options)?;
    Ok(Structure::fold(&page).pairs(&page))
}

/// Reads a page that is within the limits.
pub(crate) fn checked(html: &str, options: &Options) -> Result<Page, Error> {
    if html.len() > MAX_BYTES {
        return Err(Error::TooLarge { bytes: html.len(), limit: MAX_BYTES });
    }
    Ok(parse(html, options))
}

/// Hash of some bytes. It orders folded siblings, so it is part of the format.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Hash of an element from that of its open tag (or of what came before) and that of its next child.
pub(crate) fn combine(hash: u64, child: u64) -> u64 {
    (hash ^ child.wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Whether elements called `name` have no end tag.
pub(crate) fn is_void(name: &str) -> bool {
    tag::Tag::of(name.as_bytes()).is_void()
}

impl Page {
    /// How many elements and texts there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The open tag or text of a node in the exact form.
    pub(crate) fn markup(&self, index: usize) -> &str {
        let node = &self.nodes[index];
        &self.exact[node.start as usize..node.open_end as usize]
    }
}
