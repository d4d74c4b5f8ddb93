#!/usr/bin/env python3
"""Works out the ids of the golden normal forms with another implementation of XXH3.

    python3 scripts/states-golden.py

Needs the Python package xxhash. Reads fixtures/states/*.level{0,1,2}.html, which are reviewed by eye, and writes
fixtures/states/ids.json: the XXH3-128 of each with 16 × format + level as the seed.
"""

import json
import pathlib

import xxhash

FORMAT = 1
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "states"

ids = {}
for path in sorted(FIXTURES.glob("*.level[012].html")):
    name, level, _ = path.name.rsplit(".", 2)
    seed = 16 * FORMAT + int(level[-1])
    ids.setdefault(name, {})[level] = xxhash.xxh3_128_hexdigest(path.read_bytes(), seed=seed)
(FIXTURES / "ids.json").write_text(json.dumps(ids, indent=2, sort_keys=True) + "\n")
