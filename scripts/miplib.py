#!/usr/bin/env python3
"""Mixed-integer models: ours beside HiGHS and SCIP, one thread, after a limit of processor time.

  nice scripts/miplib.py --ours bin/proxybd --csv docs/miplib2017.csv [--limit 60] [--data FOLDER] [NAME ...]
  scripts/miplib.py --csv docs/miplib2017.csv --limit 60 --table    (what the table says, nothing is run)

A row is instance,solver,seed,limit,status,value,bound,gap,seconds; rows that the file has are not run again, so that the
script can be stopped at any time. A run whose value is not the published one, or whose bound passes it, is named and
ends the script with status 1."""
import csv, glob, gzip, math, os, shutil, sys, tempfile
import solvers

COLUMNS = ["instance", "solver", "seed", "limit", "status", "value", "bound", "gap", "seconds"]


def published(path):
    """name -> optimum, nan for infeasible models."""
    with open(path) as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return {r[0]: math.nan if r[1] == "infeasible" else float(r[1]) for r in rows[1:] if len(r) > 1 and r[1]}


def gap(value, bound):
    """The distance as a share of the value, at most 1, which also stands for runs without a point or a bound."""
    if math.isnan(value) or math.isnan(bound):
        return 1
    return min(1, abs(value - bound) / max(1e-9, abs(value))) if value != bound else 0


def contradiction(status, value, bound, optimum):
    """What a run says that cannot be, given the optimum of a minimisation; an empty text without one."""
    if math.isnan(optimum):
        return "" if math.isnan(value) else "a point of an infeasible model"
    slack = 2e-4 * max(1, abs(optimum))
    if status == "infeasible" or value < optimum - slack or bound > optimum + slack:
        return "contradicts the optimum %.12g" % optimum
    if status == "optimal" and abs(value - optimum) > slack:
        return "is not the optimum %.12g" % optimum
    return ""


def table(path, limit):
    """Solved models and mean gap of each solver over the models that all of them ran, and without each single one.

    A run that ended in the seconds that a solver has between the signal and its end counts as open."""
    by = {}
    with open(path) as f:
        for r in csv.DictReader(f):
            if float(r["limit"]) == limit:
                by.setdefault((r["solver"], r["seed"]), {})[r["instance"]] = r
    common = sorted(set.intersection(*(set(rows) for rows in by.values()))) if by else []
    print("%d models that all ran, %g s: solved, mean gap, least and largest mean without one model" % (len(common), limit))
    for (solver, seed), rows in sorted(by.items()):
        done = {n for n in common if rows[n]["status"] in ("optimal", "infeasible") and float(rows[n]["seconds"]) <= limit + 1}
        solved = len(done)
        gaps = [0.0 if n in done else float(rows[n]["gap"]) for n in common]
        rest = [(sum(gaps) - g) / max(1, len(gaps) - 1) for g in gaps] or [0]
        print("%-6s seed %s: %2d  %.3f%%  %.3f%% %.3f%%" % (solver, seed, solved, 100 * sum(gaps) / max(1, len(gaps)),
                                                          100 * min(rest), 100 * max(rest)))


def main():
    ap = solvers.arguments(__doc__, "docs/miplib2017.csv", "../shared/data/miplib/2017", "ours,highs,scip")
    ap.add_argument("--ours", default="bin/proxybd")
    ap.add_argument("--optima", default="../shared/data/miplib/OPTIMA.tsv")
    ap.add_argument("--seed", default="1", help="the seed of ours")
    ap.add_argument("--table", action="store_true")
    a = ap.parse_args()
    if a.table:
        return table(a.csv, a.limit)
    done = solvers.finished(a.csv, COLUMNS, COLUMNS[:4])
    optima, wrong = published(a.optima), []
    for path in sorted(glob.glob(a.data + "/*.mps.gz")):
        name = os.path.basename(path)[: -len(".mps.gz")]
        if a.names and name not in a.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            # HiGHS reads no packed files.
            model = os.path.join(folder, name + ".mps")
            with gzip.open(path) as packed, open(model, "wb") as f:
                shutil.copyfileobj(packed, f)
            for solver, seed, cmd, read in (
                ("ours", a.seed, [a.ours, "mip", model, "--gap", "1e-4", "--seed", a.seed, "--json"], solvers.read_ours),
                ("highs", "0", solvers.highs(a.peers, model, a.limit, folder), solvers.read_highs),
                ("scip", "0", solvers.scip(a.peers, model, a.limit), solvers.read_scip),
            ):
                if (name, solver, seed, "%g" % a.limit) in done or solver not in a.solvers.split(","):
                    continue
                text, cpu = solvers.run(cmd, a.limit)
                status, value, bound = read(text)
                with open(a.csv, "a") as f:
                    f.write("%s,%s,%s,%g,%s,%.10g,%.10g,%.3g,%.1f\n" % (name, solver, seed, a.limit, status, value, bound,
                                                                     gap(value, bound), cpu))
                why = contradiction(status, value, bound, optima.get(name, math.nan)) if name in optima else ""
                if why:
                    wrong.append("%s, %s: status %s, value %.12g, bound %.12g %s" % (name, solver, status, value, bound, why))
                    print(wrong[-1], file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
