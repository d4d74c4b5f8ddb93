#!/usr/bin/env python3
"""Writes fixtures/stats/peers/*.json: inputs with what other programs compute from them.

    python3 -m venv VENV && VENV/bin/pip install -r scripts/stats-requirements.txt
    VENV/bin/python scripts/stats-fixtures.py

The crate's tests read the files; nothing in them comes from the crate. Inputs are drawn from fixed
seeds, so a second run writes the same files (up to the last digit with other library versions).
"""

import importlib.metadata
import json
import pathlib
import warnings

import irrCAC.raw
import krippendorff
import numpy as np
import pandas as pd
import sklearn.metrics
import statsmodels.api as sm
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

OUT = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "stats" / "peers"
PACKAGES = ("numpy", "scipy", "scikit-learn", "statsmodels", "krippendorff", "irrCAC")
VERSIONS = {name: importlib.metadata.version(name) for name in PACKAGES}


def write(name, cases):
    # One case a line: small, and still readable in a diff.
    lines = ",\n".join(json.dumps(case, allow_nan=False) for case in cases)
    head = json.dumps({"made_by": "scripts/stats-fixtures.py", "versions": VERSIONS})
    (OUT / f"{name}.json").write_text(f'{head[:-1]}, "cases": [\n{lines}\n]}}\n')


def correlation():
    rng = np.random.default_rng(1)
    samples = {
        "three points": ([1.0, 2.0, 4.0], [2.0, 1.0, 5.0]),
        "perfect": ([1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 4.0, 6.0, 8.0, 10.0]),
        "perfectly opposed": ([1.0, 2.0, 3.0, 4.0], [9.0, 7.0, 5.0, 1.0]),
        "one swap": ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 2.0, 4.0, 3.0, 5.0, 6.0]),
        "balanced": ([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 1.0, 3.0]),
        "ties on both sides": (
            [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 5.0],
            [2.0, 2.0, 2.0, 1.0, 4.0, 4.0, 3.0],
        ),
        "zero and minus zero": ([0.0, -0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 2.0, 5.0, 4.0]),
        "huge and tiny": ([1e300, 2e300, -3e300, 5e299], [1e-300, 3e-300, -2e-300, 1e-300]),
    }
    for n in (17, 33, 34, 200):
        x = rng.normal(size=n)
        samples[f"normal, n = {n}"] = (x.tolist(), (0.6 * x + rng.normal(size=n)).tolist())
    x = rng.integers(0, 6, size=60)
    samples["integers, n = 60"] = (
        x.astype(float).tolist(),
        (x // 2 + rng.integers(0, 3, size=60)).astype(float).tolist(),
    )
    x = np.arange(50.0)
    y = x.copy()
    y[[10, 11]] = y[[11, 10]]
    samples["one swap, n = 50"] = (x.tolist(), y.tolist())

    cases = []
    for name, (x, y) in samples.items():
        case = {"name": name, "x": x, "y": y}
        for key, test in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
            # Powers of ten this far out overflow inside scipy; the scaled values have the same coefficients.
            if name == "huge and tiny":
                result = test(np.array(x) / 1e300, np.array(y) * 1e300)
            else:
                result = test(x, y)
            case[key] = {"coefficient": float(result.statistic), "p_value": float(result.pvalue)}
        cases.append(case)
    write("correlation", cases)


def ratings(rng, items, raters, categories, missing):
    truth = rng.integers(0, categories, size=items)
    table = np.empty((items, raters))
    for r in range(raters):
        noise = rng.random(items) < 0.3
        table[:, r] = np.where(noise, rng.integers(0, categories, size=items), truth)
    table[rng.random(table.shape) < missing] = np.nan
    return table


def agreement():
    rng = np.random.default_rng(2)
    # The worked example of Krippendorff (2011), "Computing Krippendorff's alpha-reliability", C.
    nan = np.nan
    published = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    ).T
    tables = {
        "published example": (published, 5),
        "two raters, pass or fail": (ratings(rng, 70, 2, 2, 0.0), 2),
        "two raters, four labels": (ratings(rng, 50, 2, 4, 0.0), 4),
        "three raters, missing": (ratings(rng, 40, 3, 3, 0.15), 3),
        "five raters, many missing": (ratings(rng, 30, 5, 4, 0.4), 4),
    }
    # 54 agreed passes, five disputes, one agreed fail: kappa is low although agreement is high.
    skewed = np.array([[1, 1]] * 54 + [[1, 2]] * 3 + [[2, 1]] * 2 + [[2, 2]], dtype=float)
    tables["two raters, one label rare"] = (skewed, 2)

    cases = []
    for name, (table, categories) in tables.items():
        case = {
            "name": name,
            "categories": categories,
            "items": [[None if np.isnan(v) else v for v in row] for row in table.tolist()],
        }
        for scale in ("nominal", "ordinal", "interval", "ratio"):
            case[f"alpha_{scale}"] = float(
                krippendorff.alpha(reliability_data=table.T, level_of_measurement=scale)
            )
        # The package rounds to `digits`; the formula needs the labels that could have been chosen.
        labels = sorted(set(table[~np.isnan(table)].tolist()))
        if len(labels) == categories:
            cac = irrCAC.raw.CAC(pd.DataFrame(table), weights="identity", categories=labels, digits=12)
            case["ac1"] = cac.gwet()["est"]["coefficient_value"]
        if table.shape[1] == 2 and not np.isnan(table).any():
            case["kappa"] = float(sklearn.metrics.cohen_kappa_score(table[:, 0], table[:, 1]))
            case["percent"] = float(sklearn.metrics.accuracy_score(table[:, 0], table[:, 1]))
        cases.append(case)
    write("agreement", cases)


def spread():
    rng = np.random.default_rng(3)
    runs = rng.uniform(0, 90, size=(12, 3))
    runs[4] = [0.0, 0.0, 0.0]
    case = {"runs": runs.tolist()}
    for key, ddof in (("sample", 1), ("population", 0)):
        deviation = runs.std(axis=1, ddof=ddof)
        with np.errstate(invalid="ignore"):
            variation = deviation / runs.mean(axis=1)
        case[key] = {
            "deviations": deviation.tolist(),
            "mean_deviation": float(deviation.mean()),
            "mean_variation": float(np.nanmean(variation)),
        }
    pool = rng.normal(60, 9, size=17)
    case["pool"] = pool.tolist()
    case["pool_z"] = stats.zscore(pool).tolist()
    write("spread", [case])


def detection():
    rng = np.random.default_rng(4)
    truth = rng.random((120, 3)) < 0.3
    predicted = np.where(rng.random(truth.shape) < 0.25, ~truth, truth)
    case = {"truth": truth.tolist(), "predicted": predicted.tolist()}
    for average in ("micro", "macro"):
        p, r, f, _ = sklearn.metrics.precision_recall_fscore_support(truth, predicted, average=average)
        case[average] = {"precision": float(p), "recall": float(r), "f1": float(f)}
    p, r, f, _ = sklearn.metrics.precision_recall_fscore_support(truth, predicted)
    case["categories"] = [
        {"precision": float(a), "recall": float(b), "f1": float(c)} for a, b, c in zip(p, r, f)
    ]
    # A category that neither occurs nor is predicted: no figure of its own.
    truth[:, 2] = predicted[:, 2] = False
    case["empty_third"] = {}
    for key, zero in (("zero", 0.0), ("skip", np.nan)):
        p, r, f, _ = sklearn.metrics.precision_recall_fscore_support(
            truth, predicted, average="macro", zero_division=zero
        )
        case["empty_third"][key] = {"precision": float(p), "recall": float(r), "f1": float(f)}
    write("detection", [case])


def permutation():
    rng = np.random.default_rng(5)
    samples = {
        "ten tasks": rng.normal(0.4, 1.0, size=10),
        "ties of magnitude": np.array([1.0, -1.0, 2.0, 0.0, 1.0, 3.0, -2.0, 1.0]),
        "tenths": np.array([0.1, 0.2, 0.3, -0.1, 0.2, 0.4]),
        "eighteen tasks": rng.normal(0.5, 1.0, size=18),
        "all one way": np.array([1.0, 2.0, 3.0, 4.0, 5.0]),
    }
    cases = []
    for name, d in samples.items():
        result = stats.permutation_test(
            (d, np.zeros_like(d)),
            lambda a, b, axis: np.mean(a - b, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
        )
        cases.append({"name": name, "differences": d.tolist(), "p_value": float(result.pvalue)})
    # Large enough to be sampled: the normal limit of the sign-flip distribution, a different route.
    d = rng.normal(0.1, 1.0, size=369)
    z = d.sum() / np.sqrt((d**2).sum())
    cases.append(
        {"name": "369 tasks", "differences": d.tolist(), "p_value_normal": float(2 * stats.norm.sf(abs(z)))}
    )
    write("permutation", cases)


def power_by_quadrature(effect, n, alpha):
    """scipy's noncentral t, which statsmodels uses, loses the last seven digits far out; this does not."""
    nu, shift = n - 1, effect * np.sqrt(n)
    critical = stats.t.isf(alpha / 2, nu)

    def integrand(s):
        beyond = stats.norm.sf(critical * s - shift) + stats.norm.sf(critical * s + shift)
        return beyond * stats.chi.pdf(s * np.sqrt(nu), nu) * np.sqrt(nu)

    return integrate.quad(integrand, 0, 1, epsabs=1e-13)[0] + integrate.quad(integrand, 1, 12, epsabs=1e-13, limit=200)[0]


def power():
    solver = TTestPower()
    cases = []
    for effect in (0.05, 0.1, 0.2, 0.35, 0.5, 0.8, 1.2, 2.0):
        for alpha in (0.05, 0.01):
            for wanted in (0.8, 0.9):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    n = solver.solve_power(effect_size=effect, alpha=alpha, power=wanted, alternative="two-sided")
                n = float(np.atleast_1d(n)[0])
                cases.append({"effect": effect, "alpha": alpha, "power": wanted, "n": n})
    powers = [
        {
            "effect": e,
            "n": n,
            "alpha": 0.05,
            "power": float(solver.power(e, n, 0.05)),
            "power_by_quadrature": power_by_quadrature(e, n, 0.05),
        }
        for e in (0.1, 0.5, 1.0)
        for n in (2, 3, 5, 10, 50, 369)
    ]
    write("power", [{"solve": cases, "power": powers}])


def proportions():
    cases = []
    for agree, n in ((168, 197), (48, 65), (13, 13), (0, 7), (1, 1), (120, 132)):
        for level in (0.95, 0.9):
            low, high = proportion_confint(agree, n, alpha=1 - level, method="wilson")
            cases.append({"agree": agree, "n": n, "level": level, "low": float(low), "high": float(high)})
    write("proportions", cases)


def bradley_terry():
    """The model as a logistic regression without intercept, the first player's strength fixed at 0."""
    rng = np.random.default_rng(6)
    cases = []
    for name, players, games, ties in (("four players", 4, 60, 0), ("nine players, ties", 9, 400, 40)):
        strength = np.sort(rng.normal(0, 1, size=players))
        rows = []
        for g in range(games):
            a, b = rng.choice(players, size=2, replace=False)
            p = 1 / (1 + np.exp(strength[b] - strength[a]))
            outcome = "tie" if g < ties else ("left" if rng.random() < p else "right")
            rows.append((int(a), int(b), outcome))
        x, y, w = [], [], []
        for a, b, outcome in rows:
            row = np.zeros(players)
            row[a], row[b] = 1.0, -1.0
            for won, weight in {"left": [(1, 1.0)], "right": [(0, 1.0)], "tie": [(1, 0.5), (0, 0.5)]}[outcome]:
                x.append(row[1:])
                y.append(won)
                w.append(weight)
        fit = sm.GLM(np.array(y), np.array(x), family=sm.families.Binomial(), freq_weights=np.array(w)).fit(
            tol=1e-14, maxiter=200
        )
        # From "first player is 0" to "mean is 0": a linear map, so the covariance follows.
        to_all = np.vstack([np.zeros(players - 1), np.eye(players - 1)])
        centre = (np.eye(players) - 1 / players) @ to_all
        cases.append(
            {
                "name": name,
                "players": players,
                "votes": [list(r) for r in rows],
                "strength": (centre @ fit.params).tolist(),
                "standard_error": np.sqrt(np.diag(centre @ fit.cov_params() @ centre.T)).tolist(),
            }
        )
    write("bradley_terry", cases)


# The documented random numbers, written a second time.
MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


class SplitMix64:
    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + GAMMA) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        return (self.next() * bound) >> 64


def streams(seed, count):
    root = SplitMix64(seed)
    return [SplitMix64(root.next()) for _ in range(count)]


def bias_corrected(estimate, drawn, level):
    """Efron's bias-corrected percentile interval."""
    # Equal is equal up to the rounding of a sum in another order.
    rounding = 1e-12 * np.abs(drawn).max()
    below = np.mean(drawn < estimate - rounding) + np.mean(np.abs(drawn - estimate) <= rounding) / 2
    bias = stats.norm.ppf(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    half = stats.norm.ppf((1 + level) / 2)
    return np.quantile(drawn, stats.norm.cdf([2 * bias - half, 2 * bias + half]))


def leaderboard():
    """WebCraftBench's aggregation and its bootstrap, in numpy, on a made-up pool."""
    rng = np.random.default_rng(7)
    models, tasks, resamples, seed, level = 6, 30, 300, 42, 0.9
    quality = rng.normal(60, 9, size=(models, 1, 5))
    difficulty = rng.normal(0, 8, size=(1, tasks, 5))
    scores = np.clip(quality + difficulty + rng.normal(0, 10, size=(models, tasks, 5)), 0, 100).round(2)
    # Some tasks have no visual criteria, and some cells are missing.
    scores[:, [3, 11], 4] = np.nan
    holes = [(0, 5, 0), (2, 7, 1), (4, 20, 2), (5, 20, 3)]
    for hole in holes:
        scores[hole] = np.nan

    def figures(x):
        raw = np.nanmean(x, axis=1)
        z = (raw - raw.mean(axis=0)) / raw.std(axis=0)
        alignment = z[:, 2:].mean(axis=1)
        total = np.column_stack([z[:, 0], z[:, 1], alignment]).mean(axis=1)
        rank = stats.rankdata(-total, method="min")
        return np.column_stack([raw, z, alignment, total, rank])

    drawn = []
    for stream in streams(seed, resamples):
        drawn.append(figures(scores[:, [stream.below(tasks) for _ in range(tasks)], :]))
    estimate, drawn = figures(scores), np.array(drawn)
    low, high = np.empty_like(estimate), np.empty_like(estimate)
    for at in np.ndindex(estimate.shape):
        low[at], high[at] = bias_corrected(estimate[at], drawn[(slice(None), *at)], level)

    def worst(x):
        x = x.copy()
        for hole in holes:
            x[hole] = 0.0
        return x

    keep = [t for t in range(tasks) if t not in {h[1] for h in holes}]
    write(
        "leaderboard",
        [
            {
                "columns": ["aesthetics", "usability", "functional", "content", "visual"]
                + ["z_aesthetics", "z_usability", "z_functional", "z_content", "z_visual"]
                + ["alignment", "total", "rank"],
                "scores": [[[None if np.isnan(v) else v for v in t] for t in m] for m in scores.tolist()],
                "not_applicable": [3, 11],
                "seed": seed,
                "resamples": resamples,
                "level": level,
                "drop_cell": figures(scores).tolist(),
                "low": low.tolist(),
                "high": high.tolist(),
                "worst": figures(worst(scores)).tolist(),
                "drop_task": figures(scores[:, keep, :]).tolist(),
            }
        ],
    )


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    for make in (correlation, agreement, spread, detection, permutation, power, proportions, bradley_terry, leaderboard):
        make()
