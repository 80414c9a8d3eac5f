"""Runs of our commands, HiGHS and SCIP with one thread and a limit of processor time, and what their output says.
siplib.py, miplib.py, interior.py and ablation.py use it."""
import argparse, csv, json, math, os, re, signal, subprocess, tempfile, time

ENV = dict(os.environ, OMP_NUM_THREADS="1", GOMAXPROCS="1")
TICKS = os.sysconf("SC_CLK_TCK")


def run(cmd, limit):
    """Runs cmd until it ends or has used limit seconds of processor time; returns its output and that time."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(cmd, stdout=out, stderr=subprocess.STDOUT, env=ENV)
        deadline = limit
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
    state = "optimal" if done else "infeasible" if re.search(r"^SCIP Status\s*:.*\[infeasible\]", text, re.M) else "limit"
    return (state, number(last(r"^Primal Bound\s*:\s*(\S+)", text)),
            number(last(r"^Dual Bound\s*:\s*(\S+)", text)))


def read_highs(text):
    status = last(r"^\s+Status\s+(\S.*)$", text)
    if status == "Infeasible":
        return "infeasible", math.nan, math.nan
    if status == "Optimal":
        return "optimal", number(last(r"^\s+Primal bound\s+(\S+)", text)), number(last(r"^\s+Dual bound\s+(\S+)", text))
    # The columns of its log: processed, in queue, leaves, explored %, bound, solution, gap.
    row = last(r"^ .{0,3}\s+\d+\s+\d+\s+\d+\s+[0-9.]+%\s+(\S+)\s+(\S+)\s+\S+\s", text)
    return ("limit", number(row[1]), number(row[0])) if row else ("limit", math.nan, math.nan)


def highs(peers, model, limit, folder):
    """HiGHS with the options of ../shared/peers/README.md; its own limit counts the clock and is not used."""
    options = os.path.join(folder, "highs.opt")
    with open(options, "w") as f:
        f.write("threads = 1\nparallel = off\nmip_rel_gap = 1e-4\ntime_limit = 1e6\n")
    return [os.path.join(peers, "bin", "highs"), "--options_file", options, model]


def scip(peers, model, limit):
    lines = ["set limits gap 1e-4", "set limits time %g" % limit, "set timing clocktype 1", "read " + model, "optimize", "quit"]
    return [os.path.join(peers, "bin", "scip")] + [x for line in lines for x in ("-c", line)]


def finished(path, columns, keys):
    """The runs that the table at path has, by the columns keys; without a table, an empty one with these columns is written."""
    if os.path.exists(path):
        return {tuple(row[k] for k in keys) for row in csv.DictReader(open(path))}
    with open(path, "w") as f:
        f.write(",".join(columns) + "\n")
    return set()


def arguments(doc, table, data, names):
    """The parser of a script that adds rows to a table: its options, with their defaults, and names of instances."""
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("names", nargs="*")
    ap.add_argument("--csv", default=table)
    ap.add_argument("--limit", type=float, default=60)
    ap.add_argument("--data", default=data)
    ap.add_argument("--peers", default="../shared/peers")
    ap.add_argument("--solvers", default=names)
    return ap
