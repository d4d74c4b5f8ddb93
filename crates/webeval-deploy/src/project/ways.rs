//! The other ways to counters, for an app that fails with them in its sources.

use std::path::PathBuf;

use webeval_evidence::DeployMode;

use super::attempt::{Attempt, Ready, attempt};
use super::build::Plan;
use super::bundle::Bundle;
use super::install::Packages;
use super::overlay::Overlay;
use super::own::Own;
use super::plugin::Plugin;
use super::{Found, Site, Stop};
use crate::Error;
use crate::serve::{Files, Up};

/// Has the app's bundler put counters in, or puts them into what the build has made. Where neither can be done the app runs
/// as it is.
pub(super) async fn otherwise(
    site: &mut Site,
    plan: &Plan,
    packages: &mut Packages,
    own: &Own,
    overlay: Overlay,
    mut plain: Ready,
) -> Result<Found, Stop> {
    site.notes.push("it works as it is and fails with counters in its source".to_owned());
    if let Some((plugin, told)) = Plugin::prepare(site, plan)? {
        plain.stop().await;
        let attempted = attempt(site, &told, packages, &mut Overlay::default()).await;
        let modules = plugin.finish();
        if let Attempt::Up(ready) = attempted? {
            let bundle = Bundle::of_modules(modules, &site.stage, own, &overlay.every_browser_file());
            if bundle.leads_to_sources() {
                let found = Found::new(DeployMode::Plugin, ready, overlay);
                return Ok(Found { bundle: Some(bundle), ..found });
            }
            ready.stop().await;
        }
        site.notes.push("it fails with counters that its bundler puts in".to_owned());
        plain = as_given(site, plan, packages).await?;
    }
    if plain.files.is_some()
        && let Some(mapped) = plan.with_source_maps()
    {
        plain.stop().await;
        plain = match attempt(site, &mapped, packages, &mut Overlay::default()).await? {
            Attempt::Up(ready) => ready,
            Attempt::Failed(..) => as_given(site, plan, packages).await?,
        };
    }
    let Some(files) = plain.files.clone() else {
        site.notes.push("what its own server sends has no counters: a black box".to_owned());
        return Ok(Found::new(DeployMode::BlackBox, plain, overlay));
    };
    let copy = site.work.join("bundle");
    if let Some(bundle) = bundle(site, files.root.clone(), copy.clone(), own, &overlay).await? {
        let up = Up::files(Files { root: copy, ..files }).await?;
        let (before, after) = (plain.up.answers(&plain.entry).await, up.answers(&plain.entry).await);
        if before == after {
            plain.up.stop().await;
            let of = match bundle.leads_to_sources() {
                true => "source maps tell them of its sources, what the build left out counts as uncovered",
                false => "their figures are of the bundles, which lack what the build left out",
            };
            site.notes.push(format!("its counters are in what its build made; {of}"));
            let found = Found::new(DeployMode::Bundle, Ready { up, ..plain }, overlay);
            return Ok(Found { bundle: Some(bundle), ..found });
        }
        up.stop().await;
        tracing::debug!(?before, ?after, "the bundle with counters does not answer as the one without");
    }
    site.notes.push("what its build made could not be given counters either: a black box".to_owned());
    Ok(Found::new(DeployMode::BlackBox, plain, overlay))
}

/// Brings it up as it was given once more.
async fn as_given(site: &mut Site, plan: &Plan, packages: &mut Packages) -> Result<Ready, Stop> {
    match attempt(site, plan, packages, &mut Overlay::default()).await? {
        Attempt::Up(ready) => Ok(ready),
        Attempt::Failed(failure, _) => Err(failure.into()),
    }
}

/// A copy of what the build made, with counters; none where there is nothing to count.
async fn bundle(
    site: &Site,
    output: PathBuf,
    copy: PathBuf,
    own: &Own,
    overlay: &Overlay,
) -> Result<Option<Bundle>, Stop> {
    let (stage, own, silent) = (site.stage.clone(), own.clone(), overlay.every_browser_file());
    let made = tokio::task::spawn_blocking(move || Bundle::make(&output, &copy, &stage, &own, &silent));
    match made.await.map_err(|source| Error::Interrupted { source })? {
        Ok(bundle) => Ok(Some(bundle).filter(|bundle| !bundle.instrumented.is_empty())),
        Err(error) => {
            tracing::debug!(%error, "what its build made gets no counters");
            Ok(None)
        }
    }
}
