"""Runs of the binary, and what they return."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

# The program's exit codes: solved; infeasible, unbounded, and stopped at a limit or by a signal, which are answers too.
ANSWERS = (0, 3, 4, 5)


class Error(Exception):
    """The program refused its input or failed. ``code`` is its exit code, None where it could not be started."""

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


class Result(dict):
    """What a run says: the JSON object of the command, with the tables of its solution.

    Fields are keys (``result["status"]``) and, where their names allow it, attributes (``result.objective``). A table is
    a list with a dictionary for each row. ``proxybd help json`` describes the fields.
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def column_values(self):
        """Returns the value of every column of a model by its name; empty without a point."""
        return {row["column"]: row["value"] for row in self.table("columns")}

    def duals(self):
        """Returns the dual of every row of a linear program by its name."""
        return {row["row"]: row["dual"] for row in self.table("rows") if "dual" in row}

    def table(self, name):
        """Returns a table of the solution, empty where the run has no solution with such a table."""
        value = self.get(name)
        return value if isinstance(value, list) else []


def find_binary(binary=None):
    """Returns the path of the program, or raises Error with what was tried."""
    wanted = binary or os.environ.get("PROXYBD") or "proxybd"
    found = shutil.which(wanted)
    if found is None:
        raise Error(
            "the program %r was not found: give its path as binary=..., or in the environment variable PROXYBD" % wanted
        )
    return found


def version(binary=None):
    """Returns what ``proxybd version`` prints."""
    return subprocess.run(
        [find_binary(binary), "version"], check=True, capture_output=True, text=True
    ).stdout.strip()


def flags(options):
    """Turns keyword options into flags: ``time_limit=60`` is ``--time-limit=60``, True a flag without a value.

    None and False leave a flag out.
    """
    out = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        out.append(flag if value is True else "%s=%s" % (flag, value))
    return out


def run(command, *arguments, binary=None, show=None, **options):
    """Runs a command that prints one JSON object, and returns it as a Result.

    ``show`` is called with every line of the log as it comes; without it there is none. Options are the flags of the
    command with underscores for hyphens. The first Ctrl-C asks the program to stop, which then returns the best that it
    has (its status is ``interrupted``); a second one ends it at once and raises KeyboardInterrupt.
    """
    argv = [find_binary(binary), command, *map(str, arguments), *flags(options), "--json"]
    if show is None:
        argv.append("--quiet")
    code, out, err = _call(argv, show)
    try:
        result = Result(json.loads(out))
    except ValueError:
        raise Error(err.strip() or "%s %s printed no result" % (argv[0], command), code) from None
    if code not in ANSWERS:
        raise Error(result.get("message") or err.strip(), code)
    return result


def _call(argv, show):
    """Runs a command and returns its exit code and what it printed."""
    # In a group of its own the program does not get the terminal's Ctrl-C itself, but once, from here.
    group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {"start_new_session": True}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **group) as process:
        # Both streams are read as they fill: a program whose log nobody reads would wait for ever.
        lines = []

        def follow():
            for line in process.stderr:
                lines.append(line)
                if show is not None:
                    show(line.rstrip("\n"))

        out = []
        readers = [
            threading.Thread(target=follow, daemon=True),
            threading.Thread(target=lambda: out.append(process.stdout.read()), daemon=True),
        ]
        for reader in readers:
            reader.start()
        try:
            code = process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)
            try:
                code = process.wait()
            except KeyboardInterrupt:
                process.kill()
                raise
        for reader in readers:
            reader.join()
        return code, "".join(out), "".join(lines)


def _solution(command, path, options):
    """Runs a command that solves what a file holds, and adds the tables of its solution to the result."""
    with tempfile.TemporaryDirectory(prefix="proxybd-") as folder:
        tables = os.path.join(folder, "solution.json")
        result = run(command, path, solution=tables, **options)
        if os.path.exists(tables):
            with open(tables, encoding="utf-8") as file:
                # A table takes the place of a count of the same name, as that of columns.
                for name, value in json.load(file).items():
                    if isinstance(value, list) or name not in result:
                        result[name] = value
        return result


def lp(path, **options):
    """Solves a linear program in an MPS, LP or .nl file; ``columns`` and ``rows`` of the result are its tables."""
    return _solution("lp", path, options)


def mip(path, **options):
    """Solves a mixed-integer program in an MPS, LP or .nl file; ``columns`` and ``rows`` are its tables."""
    return _solution("mip", path, options)


def solve(path, **options):
    """Solves a two-stage instance by Benders decomposition; the tables are those of its family."""
    return _solution("solve", path, options)


def to_stdout(line):
    """Shows a line of a log on standard output, whatever that is replaced by."""
    print(line, file=sys.stdout, flush=True)
