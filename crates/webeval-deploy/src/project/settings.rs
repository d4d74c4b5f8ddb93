//! Settings of package managers that a project brings, without those that name hosts, tokens or programs.

/// Settings of a project's `.npmrc` that are kept: those that decide what is installed, not from where or by what.
const SETTINGS: &[&str] = &[
    "legacy-peer-deps",
    "strict-peer-deps",
    "strict-peer-dependencies",
    "auto-install-peers",
    "shamefully-hoist",
    "public-hoist-pattern[]",
    "public-hoist-pattern",
    "hoist",
    "hoist-pattern[]",
    "node-linker",
    "save-exact",
    "resolution-mode",
    "install-links",
    "force",
];

/// Settings of a project's `.yarnrc.yml` that are kept, on the same grounds.
const YARN_SETTINGS: &[&str] =
    &["packageExtensions", "nmHoistingLimits", "nmSelfReferences", "supportedArchitectures", "catalog", "catalogs"];

/// A `.npmrc` without what leads elsewhere or runs something.
pub(super) fn of_npm(npmrc: &str) -> String {
    let kept =
        npmrc.lines().filter(|line| line.split_once('=').is_some_and(|(name, _)| SETTINGS.contains(&name.trim())));
    kept.map(|line| format!("{line}\n")).collect()
}

/// The same of a `.yarnrc.yml`, whose values go on in indented lines.
pub(super) fn of_yarn(yarnrc: &str) -> String {
    let mut kept = false;
    let lines = yarnrc.lines().filter(|line| {
        if !line.starts_with([' ', '\t']) {
            kept = line.split_once(':').is_some_and(|(name, _)| YARN_SETTINGS.contains(&name.trim()));
        }
        kept
    });
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_elsewhere_or_runs_something_is_dropped() {
        let npm =
            "registry=https://example.com\nlegacy-peer-deps=true\n//example.com/:_authToken=x\nscript-shell=./sh\n";
        assert_eq!(of_npm(npm), "legacy-peer-deps=true\n");
        let yarn = "yarnPath: .yarn/yarn.cjs\nnpmRegistryServer: https://example.com\nplugins:\n  - path: x.cjs\n\
                    packageExtensions:\n  a@*:\n    dependencies:\n      b: 1\nnodeLinker: pnp\n";
        assert_eq!(of_yarn(yarn), "packageExtensions:\n  a@*:\n    dependencies:\n      b: 1\n");
    }
}
