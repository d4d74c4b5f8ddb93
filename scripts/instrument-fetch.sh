#!/bin/sh
# Fetches, in pinned versions, the packages that the instrumenter is compared on, other instrumenters, and the tools that
# its output has to pass through.
# usage: scripts/instrument-fetch.sh DIR
set -eu
mkdir -p "$1"
cd "$1"
[ -f package.json ] || echo '{"private": true}' > package.json
npm install --ignore-scripts --legacy-peer-deps --no-audit --no-fund \
  istanbul-lib-instrument@6.0.3 istanbul-lib-coverage@3.2.2 nyc@17.1.0 \
  lodash@4.18.1 d3@7.9.2 vue@3.5.45 react@19.3.1 react-dom@19.3.1 three@0.187.0 chart.js@4.6.1 typescript@5.9.3 \
  zod@4.6.7 effect@3.22.4 @react-spectrum/s2@1.7.1 \
  @swc/core@1.16.22 swc-plugin-coverage-instrument@0.0.33 \
  esbuild@0.28.2 rollup@4.68.8 terser@5.51.4 svelte@5.57.3 @vue/compiler-sfc@3.5.45 @vue/server-renderer@3.5.45 \
  @astrojs/compiler@4.0.0
