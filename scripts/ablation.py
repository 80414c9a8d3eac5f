#!/usr/bin/env python3
"""Parts of branch and cut switched off, on permuted models, with limits of work.

  go build -tags ablation -o bin/ablation ./tools/ablation
  nice scripts/ablation.py --bin bin/ablation --csv docs/ablation.csv [--work 1e10] [--seeds "1 2 3"] [NAME ...]
  scripts/ablation.py --csv docs/ablation.csv --work 1e10 --table    (what the table says, nothing is run)

First every part is switched off with the work --short. Those that change nothing there have rows with the status same,
and the others are run with --work. A row is instance,seed,limit,off,status,work,objective,gap,nodes,integral; none is
the full solver. Pairs of instance and seed that the file has for the limit are not run again, so that the script can be
stopped at any time."""
import argparse, csv, glob, math, os, re, subprocess, sys
import solvers

COLUMNS = ["instance", "seed", "limit", "off", "status", "work", "objective", "gap", "nodes", "integral"]
PARTS = "conflicts jump improve symmetry resolution".split()
LINE = re.compile(r"(\S+) +seed (\d+) off (\S+) +(\S+) +work +(\S+) first +\S+ integral (\S+) nodes +(\d+) "
                  r"objective (\S+) +gap (\S+) ")
SMALL = 1e-4  # added to primal integrals, so that their ratios mean something


def run(a, model, seed, work, parts):
    """part -> row of the table without instance, seed and limit; none is among them."""
    cmd = [a.bin, "-work", "%g" % work, "-seeds", seed, "-off", " ".join(parts), "-optima", a.optima, model]
    out = subprocess.run(cmd, capture_output=True, text=True, env=solvers.ENV)
    rows = {}
    for found in map(LINE.match, out.stdout.splitlines()):
        if found and found[3] not in rows:
            _, _, part, status, spent, integral, nodes, objective, left = found.groups()
            rows[part] = [part, status, spent, objective, left, nodes, integral]
    if len(rows) != len(parts) + 1:
        sys.exit("%s, seed %s: %s" % (model, seed, out.stderr or out.stdout))
    return rows


def solved(row):
    return row["status"] in ("optimal", "infeasible")


def gap(row):
    """In points: 0 of a run that has ended, at most 100, which also stands for one without a point."""
    left = solvers.number(row["gap"])
    return 0 if solved(row) else 100 * (1 if math.isnan(left) else min(1, left))


def mean(values):
    """The mean and its standard error."""
    n = max(1, len(values))
    m = sum(values) / n
    return m, math.sqrt(sum((v - m) ** 2 for v in values) / max(1, n - 1) / n)


def table(path, limit):
    """Of each part, over the runs that differ: solved with and without it, ratios and differences without over with."""
    pairs = {}
    with open(path) as f:
        for r in csv.DictReader(f):
            if float(r["limit"]) == limit:
                pairs.setdefault((r["instance"], r["seed"]), {})[r["off"]] = r
    print("%d runs with everything on" % len(pairs))
    for part in PARTS:
        differ = [(r["none"], r[part]) for r in pairs.values() if part in r and r[part]["status"] != "same"]
        ended = [math.log(float(b["work"]) / float(a["work"])) for a, b in differ if solved(a) and solved(b)]
        areas = [[float(row["integral"]) + SMALL for row in pair] for pair in differ]
        work, work_error = mean(ended)
        left, left_error = mean([gap(b) - gap(a) for a, b in differ if not (solved(a) and solved(b))])
        area, area_error = mean([math.log(b / a) for a, b in areas])
        print("%-10s %2d differ; solved %d, %d; work of the %d that both solve %.2f (%.0f%%)" % (
            part, len(differ), sum(solved(a) for a, _ in differ), sum(solved(b) for _, b in differ),
            len(ended), math.exp(work), 100 * work_error), end="; ")
        print("gap of the others %+.1f (%.1f); primal integral %.2f (%.0f%%)" % (
            left, left_error, math.exp(area), 100 * area_error))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("names", nargs="*")
    ap.add_argument("--bin", default="bin/ablation")
    ap.add_argument("--csv", default="docs/ablation.csv")
    ap.add_argument("--data", default="../shared/data/miplib/2017")
    ap.add_argument("--optima", default="../shared/data/miplib/OPTIMA.tsv")
    ap.add_argument("--seeds", default="1 2 3")
    ap.add_argument("--short", type=float, default=1e9)
    ap.add_argument("--work", type=float, default=1e10)
    ap.add_argument("--table", action="store_true")
    a = ap.parse_args()
    if a.table:
        return table(a.csv, a.work)
    done = solvers.finished(a.csv, COLUMNS, COLUMNS[:3])
    for seed in a.seeds.split():
        for model in sorted(glob.glob(a.data + "/*.mps.gz")):
            name = os.path.basename(model)[: -len(".mps.gz")]
            key = (name, seed, "%g" % a.work)
            if a.names and name not in a.names or key in done:
                continue

            # What has ended within the short limit needs no other.
            rows = run(a, model, seed, a.short, PARTS)
            differ = [part for part in PARTS if rows[part][1:] != rows["none"][1:]]
            if differ and any(r[1] not in ("optimal", "infeasible") for r in rows.values()):
                rows = run(a, model, seed, a.work, differ)
            with open(a.csv, "a") as f:
                for part in ["none"] + PARTS:
                    row = rows[part] if part == "none" or part in differ else [part, "same"] + [""] * 5
                    f.write(",".join(list(key) + row) + "\n")


main()
