//! Documents that hold scripts.
use crate::{Error, Instrumented, Kind, Options};

pub(crate) fn instrument(source: &str, path: &str, kind: Kind, options: &Options) -> Result<Instrumented, Error> {
    let _ = (source, kind, options);
    Err(Error::NotCode { path: path.to_owned() })
}
