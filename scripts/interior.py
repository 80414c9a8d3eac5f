#!/usr/bin/env python3
"""Large linear programs: our interior point and simplex methods beside HiGHS's interior point method (IPX).

  nice scripts/interior.py --bin bin --models FOLDER --csv docs/interior.csv [--limit 600] [--solvers ipm,ipx,simplex] [NAME ...]

The models are those of ../shared/data, extensive forms of stochastic programs (proxybd export), and capacity expansions
(tools/capexpansion); what is made is kept in FOLDER. Every run has one thread and is interrupted after that much processor
time. A row is instance,rows,columns,solver,limit,status,value,seconds; rows that the file has are not run again."""
import gzip, os, re, shutil, subprocess
import solvers

COLUMNS = ["instance", "rows", "columns", "solver", "limit", "status", "value", "seconds"]
SPLIB = "smps/splib/"

# Extensive forms: core and stoch files below ../shared/data, without their endings, and options of export.
PROGRAMS = {
    "storm-125": (SPLIB + "posts/storm/stormg2", "stormg2-125", []),
    "storm-1000": (SPLIB + "posts/storm/stormg2", "stormg2-1000", []),
    "20term-500": (SPLIB + "wright/20term/20", "20", ["--scenarios", "500"]),
    "ssn-500": (SPLIB + "wright/ssn/ssn", "ssn", ["--scenarios", "500"]),
    "4node-4096": (SPLIB + "slptestset/cargo/4node", "4node-4096", []),
    "env-1200": (SPLIB + "slptestset/environ/env", "env-1200", []),
    "watson-i-128": (SPLIB + "watson/wati-10", "wati-10-128", []),
    "watson-c-256": (SPLIB + "watson/watc-10", "watc-10-256", []),
    "semi-2-4": (SPLIB + "siplib/semi/semi", "semi-2-4", []),
}
NETWORKS = ["50-30-L-01", "50-30-H-01"]

# Capacity expansions: hours, nodes, seed.
EXPANSIONS = [(500, 20, 1), (500, 20, 2), (250, 40, 3), (1000, 10, 4), (125, 80, 5), (750, 20, 6), (1000, 20, 7), (1700, 20, 8),
              (2400, 20, 9), (4800, 20, 10)]


def names():
    flat = ["dfl001", "pilot87", "stocfor3", "maros-r7", "fit2p", "ken-11", "pds-06", "osa-07", "cre-a", "cre-c"]
    return flat + list(PROGRAMS) + ["netdes-" + n for n in NETWORKS] + ["cap-%d-%d-%d" % e for e in EXPANSIONS]


def model(name, a):
    """The file of the model, plain MPS, made where it is not there."""
    out = os.path.abspath(os.path.join(a.models, name + ".mps"))
    if os.path.exists(out):
        return out
    run = lambda *cmd, **kw: subprocess.run(cmd, check=True, stdout=subprocess.DEVNULL, **kw)
    if name in PROGRAMS:
        # Core, time and stoch files are read from a folder where they have one stem.
        core, stoch, options = PROGRAMS[name]
        folder = os.path.join(a.models, "smps-" + name)
        os.makedirs(folder, exist_ok=True)
        for kind, stem in (("cor", core), ("tim", core), ("sto", os.path.join(os.path.dirname(core), stoch))):
            shutil.copy("%s/%s.%s.gz" % (a.data, stem, kind), "%s/p.%s.gz" % (folder, kind))
        run(a.bin + "/proxybd", "export", folder + "/p.cor.gz", "-q", "-o", out, *options)
    elif name.startswith("netdes-"):
        run(a.bin + "/proxybd", "export", "%s/stoch/netdes/network-%s.dat.gz" % (a.data, name[7:]), "-q", "-o", out)
    elif name.startswith("cap-"):
        hours, nodes, seed = name.split("-")[1:]
        run(a.bin + "/capexpansion", "-hours", hours, "-nodes", nodes, "-seed", seed, "-o", out)
    else:
        for folder in ("netlib", "netlib/kennington"):
            packed = "%s/%s/%s.mps.gz" % (a.data, folder, name)
            if os.path.exists(packed):
                with gzip.open(packed) as f, open(out, "wb") as g:
                    shutil.copyfileobj(f, g)
    return out


def read_ipx(text):
    """The objective of the linear program, which HiGHS prints once it is done."""
    done = solvers.last(r"^Model status\s*:\s*(\S+)", text) == "Optimal"
    return "optimal" if done else "limit", solvers.number(solvers.last(r"^Objective value\s*:\s*(\S+)", text))


def main():
    ap = solvers.arguments(__doc__, "docs/interior.csv", "../shared/data", "ipm,ipx,simplex")
    ap.add_argument("--bin", default="bin", help="folder of proxybd and capexpansion")
    ap.add_argument("--models", default="/tmp/interior")
    ap.set_defaults(limit=600)
    a = ap.parse_args()
    os.makedirs(a.models, exist_ok=True)
    done = solvers.finished(a.csv, COLUMNS, ["instance", "solver", "limit"])
    for name in names():
        if a.names and name not in a.names:
            continue
        for solver in a.solvers.split(","):
            if (name, solver, "%g" % a.limit) in done:
                continue
            file = model(name, a)

            # IPX solves linear programs only: HiGHS drops the integrality where it is told to.
            options = os.path.join(a.models, "highs.opt")
            with open(options, "w") as f:
                f.write("threads = 1\nparallel = off\nsolve_relaxation = true\ntime_limit = 1e6\n")
            highs = [a.peers + "/bin/highs", "--solver", "ipm", "--options_file", options, file]
            ours = [a.bin + "/proxybd", "lp", file, "--json", "--solver"]
            cmd = {"ipx": highs, "ipm": ours + ["ipm"], "simplex": ours + ["simplex"]}[solver]
            text, cpu = solvers.run(cmd, a.limit)
            if solver == "ipx":
                status, value = read_ipx(text)
            else:
                status, value, _ = solvers.read_ours(text)
            size = re.search(r": (\d+) rows, (\d+) columns", text) or re.search(r"has (\d+) rows; (\d+) cols", text)
            with open(a.csv, "a") as f:
                rows, cols = size.groups() if size else ("", "")
                f.write("%s,%s,%s,%s,%g,%s,%.10g,%.2f\n" % (name, rows, cols, solver, a.limit, status, value, cpu))
                f.flush()


main()
