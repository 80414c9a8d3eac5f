#!/usr/bin/env python3
"""SIPLIB's programs with integer recourse: ours beside branch and cut on the extensive form (ours, HiGHS, SCIP).

  nice scripts/siplib.py --ours bin/proxybd --csv docs/siplib.csv [--limit 60] [--data ../shared/data/smps] [NAME ...]

Every run has one thread and is interrupted after that much processor time (not clock time, since the machine may be
shared). A row is instance,solver,status,value,bound,gap,seconds; rows that the file has are not run again, so that the
script can be stopped at any time. Runs go instance by instance, in an order that takes every class early. HiGHS and
SCIP are those of ../shared/peers/bin with the options of its README."""
import argparse, csv, glob, json, math, os, re, signal, subprocess, tempfile, time

ENV = dict(os.environ, OMP_NUM_THREADS="1", GOMAXPROCS="1")
TICKS = os.sysconf("SC_CLK_TCK")


def run(cmd, limit):
    """Runs cmd until it ends or has used limit seconds of processor time; returns its output and that time."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(cmd, stdout=out, stderr=subprocess.STDOUT, env=ENV)
        deadline, end = limit, None
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            with open("/proc/%d/stat" % child.pid) as f:
                field = f.read().rsplit(")", 1)[1].split()
            used = (int(field[11]) + int(field[12])) / TICKS
            if used > deadline:
                # One that does not end within ten more seconds is killed: what it printed so far counts.
                child.send_signal(signal.SIGINT if deadline == limit else signal.SIGKILL)
                deadline += 10
            time.sleep(0.05)
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        out.seek(0)
        return out.read(), usage.ru_utime + usage.ru_stime


def last(pattern, text):
    found = re.findall(pattern, text, re.M)
    return found[-1] if found else None


def number(text):
    try:
        v = float(text)
        return v if abs(v) < 1e19 else math.nan
    except (TypeError, ValueError):
        return math.nan


def read_ours(text):
    try:
        got = json.loads(text[text.index("{"):text.rindex("}") + 1])
    except ValueError:
        return "failed", math.nan, math.nan
    return got.get("status", "failed"), number(got.get("objective")), number(got.get("bound"))


def read_scip(text):
    done = re.search(r"^SCIP Status\s*:.*(optimal solution found|gap limit)", text, re.M)
    return ("optimal" if done else "limit", number(last(r"^Primal Bound\s*:\s*(\S+)", text)),
            number(last(r"^Dual Bound\s*:\s*(\S+)", text)))


def read_highs(text):
    if last(r"^\s+Status\s+(\S.*)$", text) == "Optimal":
        return "optimal", number(last(r"^\s+Primal bound\s+(\S+)", text)), number(last(r"^\s+Dual bound\s+(\S+)", text))
    # The columns of its log: processed, in queue, leaves, explored %, bound, solution, gap.
    row = last(r"^ .{0,3}\s+\d+\s+\d+\s+\d+\s+[0-9.]+%\s+(\S+)\s+(\S+)\s+\S+\s", text)
    return ("limit", number(row[1]), number(row[0])) if row else ("limit", math.nan, math.nan)


def commands(name, core, model, a, folder):
    """The four runs of an instance: solver, command, reader."""
    peers = os.path.join(a.peers, "bin")
    options = os.path.join(folder, "highs.opt")
    with open(options, "w") as f:
        f.write("threads = 1\nparallel = off\nmip_rel_gap = 1e-4\ntime_limit = %g\n" % (20 * a.limit))
    scip = ["set limits gap 1e-4", "set limits time %g" % a.limit, "set timing clocktype 1", "read " + model, "optimize", "quit"]
    return [
        ("decomposition", [a.ours, "solve", core, "--gap", "1e-4", "--json"], read_ours),
        ("mip", [a.ours, "mip", model, "--gap", "1e-4", "--json"], read_ours),
        ("highs", [peers + "/highs", "--options_file", options, model], read_highs),
        ("scip", [peers + "/scip"] + [x for c in scip for x in ("-c", c)], read_scip),
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
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("names", nargs="*")
    ap.add_argument("--ours", default="bin/proxybd")
    ap.add_argument("--csv", default="docs/siplib.csv")
    ap.add_argument("--limit", type=float, default=60)
    ap.add_argument("--data", default="../shared/data/smps")
    ap.add_argument("--peers", default="../shared/peers")
    ap.add_argument("--solvers", default="decomposition,mip,highs,scip")
    a = ap.parse_args()
    done = set()
    if os.path.exists(a.csv):
        done = {(r["instance"], r["solver"]) for r in csv.DictReader(open(a.csv))}
    else:
        with open(a.csv, "w") as f:
            f.write("instance,solver,status,value,bound,gap,seconds\n")
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
                text, cpu = run(cmd, a.limit)
                status, value, bound = read(text)
                gap = abs(value - bound) / max(1, abs(value))
                with open(a.csv, "a") as f:
                    f.write("%s,%s,%s,%.8g,%.8g,%.3g,%.1f\n" % (name, solver, status, value, bound, gap, cpu))


main()
