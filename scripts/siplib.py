#!/usr/bin/env python3
"""SIPLIB's programs with integer recourse: ours beside branch and cut on the extensive form (ours, HiGHS, SCIP).

  nice scripts/siplib.py --ours bin/proxybd --csv docs/siplib.csv [--limit 60] [--data ../shared/data/smps] [NAME ...]

Every run has one thread and is interrupted after that much processor time (not clock time, since the machine may be
shared). A row is instance,solver,status,value,bound,gap,seconds; rows that the file has are not run again, so that the
script can be stopped at any time. Runs go instance by instance, in an order that takes every class early. HiGHS and
SCIP are those of ../shared/peers/bin with the options of its README."""
import glob, os, re, subprocess, tempfile
import solvers

def commands(name, core, model, a, folder):
    """The four runs of an instance: solver, command, reader."""
    return [
        ("decomposition", [a.ours, "solve", core, "--gap", "1e-4", "--json"], solvers.read_ours),
        ("mip", [a.ours, "mip", model, "--gap", "1e-4", "--json"], solvers.read_ours),
        ("highs", solvers.highs(a.peers, model, a.limit, folder), solvers.read_highs),
        ("scip", solvers.scip(a.peers, model, a.limit), solvers.read_scip),
    ]


def instances(data):
    """name -> file, the classes in turn, small ones first."""
    groups = {}
    size = lambda p: [int(d) for d in re.findall(r"\d+", os.path.basename(p))]
    lists = {
        "sslp": glob.glob(data + "/splib/siplib/sslp/*.cor.gz") + glob.glob(data + "/scip/sslp_*.cor.gz"),
        "sizes": glob.glob(data + "/splib/siplib/sizes/*.sto.gz"),
        "smkp": glob.glob(data + "/dsp/smkp/*.cor.gz"),
        "dcap": glob.glob(data + "/splib/siplib/dcap*/*.sto.gz"),
    }
    for key, files in lists.items():
        groups[key] = sorted(files, key=lambda p: (size(p)[-1] if key == "dcap" else 0, size(p)))
    out = {}
    while any(groups.values()):
        for files in groups.values():
            if files:
                path = files.pop(0)
                out[os.path.basename(path).split(".")[0]] = path
    return out


def main():
    ap = solvers.arguments(__doc__, "docs/siplib.csv", "../shared/data/smps", "decomposition,mip,highs,scip")
    ap.add_argument("--ours", default="bin/proxybd")
    a = ap.parse_args()
    columns = ["instance", "solver", "status", "value", "bound", "gap", "seconds"]
    done = solvers.finished(a.csv, columns, ["instance", "solver"])
    for name, path in instances(a.data).items():
        if a.names and name not in a.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            # Programs that share a core file need the three files of one scenario set side by side.
            stem = os.path.basename(path).split(".")[0]
            core = path
            model = os.path.join(folder, stem + ".mps")
            if path.endswith(".sto.gz"):
                here = os.path.dirname(path)
                base = stem if os.path.exists(os.path.join(here, stem + ".cor.gz")) else re.sub(r"[-_]\d+$", "", stem)
                for kind, source in (("cor", base), ("tim", base), ("sto", stem)):
                    os.symlink(os.path.abspath("%s/%s.%s.gz" % (here, source, kind)), "%s/%s.%s.gz" % (folder, stem, kind))
                core = "%s/%s.cor.gz" % (folder, stem)
            for solver, cmd, read in commands(name, core, model, a, folder):
                if (name, solver) in done or solver not in a.solvers.split(","):
                    continue
                if solver != "decomposition" and not os.path.exists(model):
                    subprocess.run([a.ours, "export", core, "-o", model], check=True, stdout=subprocess.DEVNULL)
                text, cpu = solvers.run(cmd, a.limit)
                status, value, bound = read(text)
                gap = abs(value - bound) / max(1, abs(value))
                with open(a.csv, "a") as f:
                    f.write("%s,%s,%s,%.8g,%.8g,%.3g,%.1f\n" % (name, solver, status, value, bound, gap, cpu))


main()
