#!/bin/bash
# Compiles the report of a small experiment with pdflatex and lualatex: no error, the figures on a page each, and a table
# in a document of one's own. The title has every character that LaTeX treats in a way of its own, and every letter that
# the report passes on. Argument: a folder to keep the files and pictures of the pages in, a temporary one by default.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$PWD/bin/proxybd
if ! command -v pdflatex > /dev/null || ! kpsewhich -must-exist pgfplots.sty standalone.cls adjustbox.sty luaotfload.sty lmroman10-regular.otf > /dev/null; then
  apt-get install -y --no-install-recommends texlive-latex-recommended texlive-pictures texlive-latex-extra \
    texlive-luatex lmodern poppler-utils > /dev/null
fi

work=${1:-}
if [ -z "$work" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
cd "$work"
[ -e tiny ] || "$program" split --shape ufl:12x10 --shape ufl:16x16 --shape cap:50x16 --bases 4 --train 4 --validation 2 \
  --test 2 -o tiny --quiet
for preset in fast paper; do
  "$program" states tiny --preset $preset --quiet
  "$program" train tiny --preset $preset --steps 40 --quiet
done
"$program" eval tiny --methods exact,proxy,proxy+zero,exact/paper,aggregated/paper,proxy/paper,proxy/classic,exact/classic \
  --repeats 1 --quiet

# Letters from À to ſ, without the signs × and ÷ among them.
letters=$(python3 -c 'print("".join(c for c in map(chr, range(0xc0, 0x180)) if c.isalpha()))')
"$program" report tiny --latex --quiet --title "[a]*_{b} \\c \$d\$ #1 % & ~ ^ < > | \" ' \` -- ,, ?\` – — − × ∞ ≥ ≤ ± → α λ ρ σ ’ … 中 $letters"

cd tiny/report
cat > own.tex <<'END'
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
\input{tables/results-ufl}
\end{document}
END
for engine in pdflatex lualatex; do
  for document in report figures own; do
    $engine -interaction=nonstopmode -halt-on-error $document.tex > log.txt 2> /dev/null || { grep -A3 '^!' log.txt; exit 1; }
    # A character that the font does not have is no error of TeX.
    if grep 'Missing character' $document.log; then exit 1; fi
    # Two hyphens stay two.
    [ $document != report ] || pdftotext -l 1 report.pdf - | grep -q -e ' -- ,, ?` ' || { echo 'the title has other signs'; exit 1; }
    echo "$engine: $(grep 'Output written' log.txt)"
  done
done
figures=$(find figures -name '*.tex' | wc -l)
pages=$(pdfinfo figures.pdf | sed -n 's/^Pages: *//p')
[ "$figures" = "$pages" ] || { echo "$figures figures on $pages pages"; exit 1; }
pdftoppm -r 80 -png report.pdf page
pdftoppm -r 110 -png figures.pdf figure
