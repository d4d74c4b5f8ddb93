#!/bin/sh
# Compares the speed of instrumenters on the same files in one run.
# usage: scripts/instrument-speed.sh DIR [ROUNDS]    DIR as filled by scripts/instrument-fetch.sh
# Set ISTANBUL=1 to run istanbul-lib-instrument and swc's plugin too: they take minutes and gigabytes for typescript.js.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
modules=$(cd "$1/node_modules" && pwd)
rounds=${2:-5}
cargo build --release --quiet --manifest-path "$here/instrument-speed/Cargo.toml" --target-dir "${TMPDIR:-/tmp}/instrument-speed-target"
cd "$modules"
set -- lodash/lodash.js d3/dist/d3.js vue/dist/vue.global.js react-dom/cjs/react-dom-client.development.js \
  three/build/three.core.js chart.js/dist/chart.umd.js @react-spectrum/s2/src/TableView.tsx zod/src/v4/core/schemas.ts \
  effect/src/internal/stream.ts typescript/lib/typescript.js
"${TMPDIR:-/tmp}/instrument-speed-target/release/instrument-speed" "$rounds" "$@" | node "$here/instrument-speed/report.mjs" "$modules"
