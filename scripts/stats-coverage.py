#!/usr/bin/env python3
"""How often do bootstrap intervals of a leaderboard's total hold the true total?

Draws pools of models with known mean scores, scores them on random tasks, and counts how often 95 %
intervals hold the total that infinitely many tasks would give: plain percentile intervals, and the
bias-corrected ones that the crate uses. `extremes` are the two best and two worst models.

    VENV/bin/python scripts/stats-coverage.py        (about a minute)
"""

import numpy as np
from scipy import stats

DIMENSIONS, SIMULATIONS, RESAMPLES = 5, 300, 400


def total(raw):
    z = (raw - raw.mean(-2, keepdims=True)) / raw.std(-2, keepdims=True)
    return (z[..., 0] + z[..., 1] + z[..., 2:].mean(-1)) / 3


def corrected(estimate, drawn):
    share = (drawn < estimate).mean(0)
    bias = stats.norm.ppf(np.clip(share, 0.5 / RESAMPLES, 1 - 0.5 / RESAMPLES))
    ends = stats.norm.cdf(np.array([2 * bias - 1.959964, 2 * bias + 1.959964]))
    columns = range(drawn.shape[1])
    return [np.array([np.quantile(drawn[:, m], end[m]) for m in columns]) for end in ends]


def coverage(rng, models, tasks, spread):
    truth = np.sort(rng.normal(60, spread, size=(models, DIMENSIONS)), axis=0)
    held = {"plain": [], "corrected": []}
    for _ in range(SIMULATIONS):
        shape = (models, tasks, DIMENSIONS)
        difficulty = rng.normal(0, 8, (1, tasks, DIMENSIONS))
        scores = truth[:, None, :] + difficulty + rng.normal(0, 15, shape)
        weights = rng.multinomial(tasks, np.ones(tasks) / tasks, size=RESAMPLES) / tasks
        drawn = total(np.einsum("bt,mtd->bmd", weights, scores))
        plain = np.quantile(drawn, [0.025, 0.975], axis=0)
        for kind, (low, high) in (("plain", plain), ("corrected", corrected(total(scores.mean(1)), drawn))):
            held[kind].append((low <= total(truth)) & (total(truth) <= high))
    edge = [0, 1, -2, -1]
    for kind, hits in held.items():
        hits = np.array(hits)
        print(f"{models:6} {tasks:6} {spread:7} {kind:>10} {hits.mean():6.3f} {hits[:, edge].mean():9.3f}")


if __name__ == "__main__":
    print("models  tasks  spread       kind    all  extremes")
    rng = np.random.default_rng(0)
    for case in ((17, 369, 7), (17, 369, 4), (17, 369, 2), (17, 60, 7), (4, 100, 7)):
        coverage(rng, *case)
