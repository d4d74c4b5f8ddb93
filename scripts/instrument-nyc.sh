#!/bin/sh
# Has nyc report on coverage that an instrumented program gathered, and readInitialCoverage read its initial data.
# usage: scripts/instrument-nyc.sh DIR INSTRUMENT_TREE    DIR as filled by scripts/instrument-fetch.sh
set -eu
modules=$(cd "$1/node_modules" && pwd)
tree=$(realpath "$2")
work=$(mktemp -d)
cd "$work"
echo '{}' > package.json
printf 'function f(a) { if (a) return 1; return a || 2 }\nf(1);\n' > app.js
"$tree" "$work/app.js" "$work/out"
mkdir -p .nyc_output
node -e "
require('./out/app.js');
fs.writeFileSync('.nyc_output/a.json', JSON.stringify(__coverage__));
const { readInitialCoverage } = require('$modules/istanbul-lib-instrument');
const { coverageData, path } = readInitialCoverage(fs.readFileSync('out/app.js', 'utf8'));
if (path !== '$work/app.js' || Object.keys(coverageData.statementMap).length !== 4) throw Error('initial coverage');"
"$modules/.bin/nyc" report --reporter=json-summary --temp-dir .nyc_output > /dev/null
# Four statements, of which \`return a || 2\` did not run; one function; of four arms one was taken.
node -e "
const { total } = require('./coverage/coverage-summary.json');
const got = ['statements', 'functions', 'branches', 'lines'].map((key) => total[key].covered + '/' + total[key].total).join(' ');
if (got !== '3/4 1/1 1/4 2/2') throw Error(got);
console.log('nyc agrees:', got);"
rm -rf "$work"
