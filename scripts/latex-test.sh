#!/bin/bash
# Compiles the report of a small experiment with pdflatex: no error, no undefined command, a page for each section.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$PWD/bin/proxybd
if ! command -v pdflatex > /dev/null; then
  apt-get install -y --no-install-recommends texlive-latex-recommended texlive-pictures texlive-latex-extra > /dev/null
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" split --shape ufl:12x10 --bases 4 --train 4 --validation 2 --test 2 -o tiny --quiet
"$program" states tiny --quiet
"$program" train tiny --steps 100 --quiet
"$program" eval tiny --methods exact,proxy,proxy+zero --repeats 1 --quiet
"$program" report tiny --latex --quiet

cd tiny/report
pdflatex -interaction=nonstopmode -halt-on-error report.tex > log.txt || { grep -A3 '^!' log.txt; exit 1; }
grep 'Output written' log.txt
