#!/usr/bin/env python3
"""Compares webeval-states with other ways to normalise the same pages, side by side.

    python3 scripts/states-compare.py DIR_OR_FILE...

Needs cargo and the Python packages selectolax and beautifulsoup4. Prints a Markdown table of MB/s (CPU time of one
thread, best of several runs), then the ratios that docs/states.md states. What the Python libraries do is: parse,
remove script and style, remove the mutable attributes, serialise.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import time

from bs4 import BeautifulSoup
from selectolax.lexbor import LexborHTMLParser

HERE = pathlib.Path(__file__).resolve().parent
DROPPED = {"style", "nonce", "aria-activedescendant", "data-reactroot", "data-reactid", "data-emotion"}


def selectolax_strip(html):
    tree = LexborHTMLParser(html)
    tree.strip_tags(["script", "style"])
    return len(tree.html)


def bs4_strip(html):
    soup = BeautifulSoup(html, "html.parser")
    for element in soup(["script", "style"]):
        element.decompose()
    for element in soup.find_all(True):
        for name in DROPPED & element.attrs.keys():
            del element[name]
    return len(str(soup))


def rate(way, html, rounds):
    size = len(html.encode())
    best = float("inf")
    for _ in range(rounds):
        start = time.thread_time()
        way(html)
        best = min(best, time.thread_time() - start)
    return size / best / 1e6


def pages(arguments):
    for argument in map(pathlib.Path, arguments):
        found = sorted(argument.rglob("*.html")) if argument.is_dir() else [argument]
        yield from (path for path in found if path.stat().st_size >= 20_000)


def main():
    files = [str(path) for path in pages(sys.argv[1:])]
    if not files:
        sys.exit(__doc__)
    manifest = str(HERE / "states-compare" / "Cargo.toml")
    command = ["cargo", "run", "--quiet", "--release", "--manifest-path", manifest, "--", *files]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    ways = ["webeval-states", "html5ever tokenizer", "html5ever rcdom", "lol_html", "selectolax", "bs4"]
    print("| page | MB | " + " | ".join(ways) + " |")
    print("| --- | ---: |" + " ---: |" * len(ways))
    to_selectolax, to_tokenizer = [], []
    for row in map(json.loads, lines):
        html = pathlib.Path(row["file"]).read_text(encoding="utf-8")
        row["selectolax"] = rate(selectolax_strip, html, max(5, min(60, 5_000_000 // row["bytes"])))
        row["bs4"] = rate(bs4_strip, html, 1)
        name = pathlib.Path(row["file"]).name
        print(f"| {name} | {row['bytes'] / 1e6:.2f} | " + " | ".join(f"{row[way]:.0f}" for way in ways) + " |")
        to_selectolax.append(row["webeval-states"] / row["selectolax"])
        to_tokenizer.append(row["webeval-states"] / row["html5ever tokenizer"])
    for name, ratios in [("selectolax strip + serialise", to_selectolax), ("html5ever's tokenizer", to_tokenizer)]:
        print(f"\nwebeval-states ÷ {name}: median {statistics.median(ratios):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
