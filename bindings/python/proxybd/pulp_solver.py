"""A solver for PuLP that runs the binary.

    import pulp, proxybd.pulp_solver
    problem.solve(proxybd.pulp_solver.PROXYBD(timeLimit=60, gapRel=1e-3))
    problem.solve(pulp.getSolver("PROXYBD"))
"""

import os
import tempfile
import time

import pulp
from pulp import constants

from . import program

# What PuLP calls the ends of a run, without and with a point: its status, and that of the solution.
_WITHOUT = {
    "infeasible": (constants.LpStatusInfeasible, constants.LpSolutionInfeasible),
    "unbounded": (constants.LpStatusUnbounded, constants.LpSolutionUnbounded),
}
_NOTHING = (constants.LpStatusNotSolved, constants.LpSolutionNoSolutionFound)
_OPTIMAL = (constants.LpStatusOptimal, constants.LpSolutionOptimal)
_FEASIBLE = (constants.LpStatusOptimal, constants.LpSolutionIntegerFeasible)


class PROXYBD(pulp.LpSolver_CMD):
    """The solver. Linear programs have duals (``constraint.pi``) and reduced costs (``variable.dj``)."""

    name = "PROXYBD"

    def __init__(
        self,
        path=None,
        keepFiles=False,
        mip=True,
        msg=True,
        options=None,
        timeLimit=None,
        gapRel=None,
        gapAbs=None,
        maxNodes=None,
        threads=None,
        warmStart=False,
        logPath=None,
    ):
        """
        :param str path: path of the binary; without it the environment variable PROXYBD, or proxybd in the search path
        :param bool keepFiles: keep model and solution in the current directory
        :param bool mip: if False, integer variables are continuous
        :param bool msg: show the log on standard output
        :param list options: more flags of the command, such as ["--memory-limit=4GiB"]
        :param float timeLimit: seconds
        :param float gapRel: relative gap at which the search stops
        :param float gapAbs: absolute gap at which the search stops
        :param int maxNodes: nodes of the tree
        :param int threads: nodes of the tree that are solved at a time
        :param bool warmStart: begin with the values of the variables, which may be of some of them only
        :param str logPath: a file that gets the log
        """
        super().__init__(
            path=path,
            keepFiles=keepFiles,
            mip=mip,
            msg=msg,
            options=options,
            timeLimit=timeLimit,
            gapRel=gapRel,
            gapAbs=gapAbs,
            maxNodes=maxNodes,
            threads=threads,
            warmStart=warmStart,
            logPath=logPath,
        )

    def defaultPath(self):
        return os.environ.get("PROXYBD") or self.executableExtension("proxybd")

    def available(self):
        """Returns the path of the binary, or False."""
        try:
            return program.find_binary(self.path)
        except program.Error:
            return False

    def actualSolve(self, lp):
        """Solves a problem, and gives its variables and constraints their values."""
        if not self.available():
            raise pulp.PulpSolverError("PuLP: cannot execute %s" % self.path)
        searches = bool(self.mip and (lp.isMIP() or lp.sos1 or lp.sos2))
        with tempfile.TemporaryDirectory(prefix="proxybd-") as folder:
            # The names are PuLP's own; inside of the files columns and rows are numbered.
            base = lp.name if self.keepFiles else os.path.join(folder, "model")
            variables = lp.variables()
            with open(base + "-pulp.mps", "w", encoding="utf-8") as file:
                write_mps(file, lp, variables, searches)
            flags = self._flags(searches)
            if searches and self.optionsDict.get("warmStart"):
                start = base + "-pulp.start"
                write_start(start, variables)
                flags["start"] = start

            began = time.time()
            self.solution_time = -_clock()
            command = program.mip if searches else program.lp
            try:
                result = command(
                    base + "-pulp.mps", binary=self.path, show=program.to_stdout if self.msg else None, **flags
                )
            except program.Error as error:
                raise pulp.PulpSolverError("PuLP: %s" % error) from None
            self.solution_time += _clock()
            lp.solutionTime = time.time() - began
        return assign(lp, variables, result)

    def _flags(self, searches):
        """Returns the flags of the command; a linear program has no search to limit."""
        given = self.optionsDict
        flags = {"time_limit": self.timeLimit, "log": given.get("logPath")}
        if searches:
            flags.update(
                gap=given.get("gapRel"),
                absolute_gap=given.get("gapAbs"),
                node_limit=given.get("maxNodes"),
                threads=given.get("threads"),
            )
        for text in self.options:
            name, _, value = text.lstrip("-").partition("=")
            flags[name.replace("-", "_")] = value or True
        return flags


def register():
    """Makes the solver known to ``pulp.getSolver("PROXYBD")`` and ``pulp.listSolvers()``."""
    if PROXYBD not in pulp.apis._all_solvers:
        pulp.apis._all_solvers.append(PROXYBD)


def _clock():
    # PuLP measures the time of a solver by this clock.
    return pulp.apis.core.clock()


def assign(lp, variables, result):
    """Gives a problem the answer of a run, and returns its status."""
    columns = result.table("columns")
    status, solution = _WITHOUT.get(result["status"], _NOTHING)
    if columns and result["status"] not in _WITHOUT:
        status, solution = _OPTIMAL if result["status"] == "optimal" else _FEASIBLE
        for variable, row in zip(variables, columns):
            variable.varValue = float(row["value"])
            variable.dj = row.get("reduced_cost")

        # PuLP's slack is what is left of the constraint as it is written, its side less the activity.
        for constraint, row in zip(lp.constraints.values(), result.table("rows")):
            constraint.slack = -constraint.constant - row["activity"]
            constraint.pi = row.get("dual")
    lp.assignStatus(status, solution)
    return status


def write_start(path, variables):
    """Writes the values that variables have as a starting point, which may be a part of one."""
    with open(path, "w", encoding="utf-8") as file:
        for number, variable in enumerate(variables):
            if variable.varValue is not None:
                file.write("x%d %r\n" % (number, float(variable.varValue)))


def write_mps(file, lp, variables, integer):
    """Writes a problem as free MPS. Numbers have all their digits, which those of PuLP's own writers have not.

    Column j is x<j> in the order of ``variables``, row i is r<i> in that of the constraints.
    """
    number = {variable: j for j, variable in enumerate(variables)}
    maximize = lp.sense == constants.LpMaximize
    write = file.write
    write("NAME model\nOBJSENSE\n    %s\nROWS\n N obj\n" % ("MAX" if maximize else "MIN"))
    entries = [[] for _ in variables]
    constraints = list(lp.constraints.values())
    for i, constraint in enumerate(constraints):
        write(" %s r%d\n" % (constants.LpConstraintTypeToMps[constraint.sense], i))
        for variable, value in constraint.items():
            entries[number[variable]].append(("r%d" % i, value))
    objective = lp.objective
    for variable, value in objective.items():
        entries[number[variable]].append(("obj", value))

    write("COLUMNS\n")
    marked = False
    for j, variable in enumerate(variables):
        wanted = integer and variable.cat == constants.LpInteger
        if wanted != marked:
            marked = wanted
            write(" M%d 'MARKER' '%s'\n" % (j, "INTORG" if wanted else "INTEND"))
        for row, value in entries[j] or [("obj", 0)]:
            write(" x%d %s %r\n" % (j, row, float(value)))
    if marked:
        write(" M 'MARKER' 'INTEND'\n")

    # The side of a row is on the left in PuLP; MPS has the constant of the objective with the other sign.
    write("RHS\n")
    if objective.constant:
        write(" RHS obj %r\n" % -float(objective.constant))
    for i, constraint in enumerate(constraints):
        if constraint.constant:
            write(" RHS r%d %r\n" % (i, -float(constraint.constant)))

    # Every column has its bounds in words: readers differ in what they take for granted.
    write("BOUNDS\n")
    for j, variable in enumerate(variables):
        low, high = variable.lowBound, variable.upBound
        if low is None:
            write(" MI B x%d\n" % j)
        elif low != 0:
            write(" LO B x%d %r\n" % (j, float(low)))
        if high is None:
            write(" PL B x%d\n" % j)
        else:
            write(" UP B x%d %r\n" % (j, float(high)))
            if low == 0 and high < 0:
                write(" LO B x%d 0\n" % j)
    sets = [("S1", members) for members in lp.sos1.values()] + [("S2", members) for members in lp.sos2.values()]
    if integer and sets:
        write("SOS\n")
        for k, (kind, members) in enumerate(sets):
            write(" %s s%d\n" % (kind, k))
            for variable, weight in members.items():
                write("    x%d %r\n" % (number[variable], float(weight)))
    write("ENDATA\n")


register()
