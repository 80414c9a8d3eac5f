"""Tests of the module against answers that are known or computed by hand.

    PROXYBD=bin/proxybd PYTHONPATH=bindings/python python3 -m unittest discover -s bindings/python/tests
"""

import contextlib
import io
import itertools
import os
import random
import re
import signal
import tempfile
import threading
import unittest

import proxybd
from proxybd import program, tables


class Frame:
    """As much of a data frame as the module uses."""

    def __init__(self, **columns):
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, name):
        return self._columns[name]


FACILITIES = Frame(facility=["A", "B"], capacity=[5, 6], fixed_cost=[3.5, 4])
CLIENTS = {"client": ["u", "v"], "demand": [2, 3]}
COSTS = [
    {"client": c, "facility": f, "cost": cost}
    for (c, f), cost in {("u", "A"): 1, ("u", "B"): 2, ("v", "A"): 3, ("v", "B"): 0.25}.items()
]


def split(rows, columns):
    """Returns the coefficients and sides of a market split, which no search finishes in seconds."""
    draw = random.Random(3)
    for _ in range(rows):
        coefficients = [draw.randint(0, 99) for _ in range(columns)]
        yield coefficients, sum(coefficients) // 2


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_linear_program_with_duals(self):
        path = write(self.folder, "a.lp", "max\n 3 x + 2 y\nst\n a: x + y <= 4\n b: x + 3 y <= 6\nbounds\n x <= 3\nend\n")
        result = proxybd.lp(path)
        self.assertEqual(result.status, "optimal")
        self.assertEqual(result.column_values(), {"x": 3, "y": 1})
        self.assertAlmostEqual(result.objective, 11)

        # A unit more of b is a third of a unit of y; a is tight too, at no price.
        self.assertAlmostEqual(sum(result.duals().values()), 2 / 3)

    def test_statuses(self):
        infeasible = write(self.folder, "i.lp", "min\n x\nst\n a: x >= 2\nbounds\n x <= 1\nend\n")
        self.assertEqual(proxybd.mip(infeasible).status, "infeasible")
        unbounded = write(self.folder, "u.lp", "min\n x\nst\n a: x <= 2\nbounds\n x free\nend\n")
        self.assertEqual(proxybd.lp(unbounded).status, "unbounded")

    def test_bad_input_is_an_error_with_its_place(self):
        path = write(self.folder, "bad.lp", "min\n x\nst\n a: x >= 2 2\nend\n")
        with self.assertRaisesRegex(proxybd.Error, "line 4") as caught:
            proxybd.lp(path)
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaisesRegex(proxybd.Error, "not found"):
            proxybd.lp(path, binary=os.path.join(self.folder, "nothing"))
        with self.assertRaisesRegex(proxybd.Error, "gap"):
            proxybd.mip(path, gap=-1)

    def test_flags(self):
        self.assertEqual(
            program.flags({"time_limit": 3, "iis": True, "gap": None, "quiet": False}), ["--time-limit=3", "--iis"]
        )

    def test_log(self):
        lines = []
        proxybd.solve_tables("cap", FACILITIES, CLIENTS, COSTS, show=lines.append)
        self.assertTrue(any("facility location" in line for line in lines), lines)

    @unittest.skipIf(os.name == "nt", "signals of another kind")
    def test_interrupt_returns_the_best_so_far(self):
        # Equations that hardly any 0-1 point satisfies, with columns for what is left (market split).
        rows = []
        for i, (coefficients, side) in enumerate(split(6, 50)):
            left = " + ".join("%d x%d" % (a, j) for j, a in enumerate(coefficients))
            rows.append(" r%d: %s + p%d - m%d = %d" % (i, left, i, i, side))
        text = "min\n %s\nst\n%s\nbin\n %s\nend\n" % (
            " + ".join("p%d + m%d" % (i, i) for i in range(6)),
            "\n".join(rows),
            " ".join("x%d" % j for j in range(50)),
        )
        path = write(self.folder, "k.lp", text)
        timer = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        result = proxybd.mip(path, gap=0, time_limit=60)
        timer.cancel()
        self.assertEqual(result.status, "interrupted")
        self.assertGreater(len(result.column_values()), 0)
        self.assertLessEqual(result.bound, result.objective)


class Guide(unittest.TestCase):
    def test_its_programs_print_what_it_says(self):
        guide = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "python.md")
        with open(guide, encoding="utf-8") as file:
            blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
        printed = []
        for block in blocks:
            if "pulp" in block and pulp is None:
                continue
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block, guide, "exec"), {})
            printed.append(out.getvalue())
        self.assertIn("optimal 170", printed[0])
        self.assertIn("Leipzig Hamburg 35", printed[0])
        if pulp is not None:
            self.assertIn("Optimal 3.0 1.0 0.66", printed[1])


class Tables(unittest.TestCase):
    def test_against_all_designs(self):
        cost = {(row["client"], row["facility"]): row["cost"] for row in COSTS}
        best = float("inf")
        for design in itertools.product([0, 1], repeat=2):
            opened = [f for f, o in zip("AB", design) if o]
            if sum(c for f, c in zip("AB", (5, 6)) if f in opened) < 5:
                continue
            fixed = sum(c for f, c in zip("AB", (3.5, 4)) if f in opened)
            best = min(best, fixed + sum(min(cost[c, f] for f in opened) for c in "uv"))
        result = proxybd.solve_tables("cap", FACILITIES, CLIENTS, COSTS, gap=1e-9)
        self.assertEqual(result.status, "optimal")
        self.assertAlmostEqual(result.objective, best)
        self.assertEqual([row["facility"] for row in result.facilities], ["A", "B"])

    def test_other_columns_and_lengths_are_refused(self):
        with self.assertRaisesRegex(ValueError, "different lengths"):
            tables.columns({"a": [1], "b": []})
        with self.assertRaisesRegex(ValueError, "row 1"):
            tables.columns([{"a": 1}, {"b": 1}])
        with self.assertRaises(TypeError):
            tables.columns([])
        with self.assertRaisesRegex(proxybd.Error, "demand"):
            proxybd.solve_tables("cap", FACILITIES, {"client": ["u"]}, COSTS)

    def test_digits_and_missing_cells(self):
        file = io.StringIO()
        tables.write_tables(file, "cap", [{"facility": ["a,b"], "capacity": [0.1 + 0.2], "x": [float("nan")]}])
        self.assertIn('"a,b",0.30000000000000004,\n', file.getvalue())


try:
    import pulp
    import pulp.tests.test_pulp as suite
    from proxybd.pulp_solver import PROXYBD
except ImportError:
    pulp = None


@unittest.skipIf(pulp is None, "PuLP is not installed")
class PuLP(unittest.TestCase):
    def problem(self, sense=None):
        problem = pulp.LpProblem("p", sense or pulp.LpMinimize)
        x = pulp.LpVariable("a name (with) [brackets]", 0, 3)
        y = pulp.LpVariable("y", None, None)
        return problem, x, y

    def test_duals_reduced_costs_and_slacks(self):
        for sense, factor in ((pulp.LpMaximize, 1), (pulp.LpMinimize, -1)):
            problem, x, y = self.problem(sense)
            problem += factor * (3 * x + 2 * y) + 7
            problem += x + y <= 5, "a"
            problem += x + 3 * y + 1 <= 7, "b"
            self.assertEqual(problem.solve(PROXYBD(msg=False)), pulp.LpStatusOptimal)
            self.assertEqual((x.varValue, y.varValue), (3, 1))
            self.assertAlmostEqual(pulp.value(problem.objective), factor * 11 + 7)
            self.assertAlmostEqual(problem.constraints["b"].pi, factor * 2 / 3)
            self.assertAlmostEqual(x.dj, factor * 7 / 3)
            self.assertAlmostEqual(problem.constraints["a"].slack, 1)
            self.assertAlmostEqual(problem.constraints["b"].slack, 0)

    def test_statuses(self):
        problem, x, y = self.problem()
        problem += y
        problem += y >= x
        problem += x >= 5
        self.assertEqual(problem.solve(PROXYBD(msg=False)), pulp.LpStatusInfeasible)
        problem, x, y = self.problem()
        problem += y
        problem += y <= x
        self.assertEqual(problem.solve(PROXYBD(msg=False)), pulp.LpStatusUnbounded)

    def test_limit_with_and_without_a_point(self):
        problem = pulp.LpProblem("split", pulp.LpMinimize)
        x = [pulp.LpVariable("x%d" % j, cat="Binary") for j in range(50)]
        left = [(pulp.LpVariable("p%d" % i, 0), pulp.LpVariable("m%d" % i, 0)) for i in range(6)]
        problem += pulp.lpSum(left)
        for (coefficients, side), (p, m) in zip(split(6, 50), left):
            problem += pulp.lpSum(a * v for a, v in zip(coefficients, x)) + p - m == side
        self.assertEqual(problem.solve(PROXYBD(msg=False, gapRel=0, timeLimit=1)), pulp.LpStatusOptimal)
        self.assertEqual(problem.sol_status, pulp.LpSolutionIntegerFeasible)
        self.assertTrue(problem.valid())
        self.assertEqual(problem.solve(PROXYBD(msg=False, timeLimit=1e-6)), pulp.LpStatusNotSolved)
        self.assertEqual(problem.sol_status, pulp.LpSolutionNoSolutionFound)

    def test_warm_start_and_log(self):
        problem, x, y = self.problem()
        z = pulp.LpVariable("z", 0, 9, cat="Integer")
        problem += x + y + z
        problem += y + 2 * z >= 3.5
        problem += y >= -1
        for variable, value in ((x, 0), (z, 9)):
            variable.setInitialValue(value)
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            problem.solve(PROXYBD(msg=False, warmStart=True, logPath=log))
            self.assertAlmostEqual(pulp.value(problem.objective), 1.5)
            with open(log, encoding="utf-8") as file:
                self.assertIn("incumbent", file.read())

    def test_ordered_sets(self):
        problem = pulp.LpProblem("sets", pulp.LpMaximize)
        x = [pulp.LpVariable("x%d" % j, 0, 1) for j in range(4)]
        problem += pulp.lpSum((1, 3, 2, 3)[j] * x[j] for j in range(4))
        problem += pulp.lpSum(x) <= 4
        problem.sos2["s"] = {x[j]: j + 1 for j in range(4)}
        problem.solve(PROXYBD(msg=False))
        self.assertAlmostEqual(pulp.value(problem.objective), 5)

    def test_random_models_against_cbc(self):
        reference = pulp.COIN_CMD(msg=False, path="cbc")
        if not reference.available():
            self.skipTest("CBC is not installed")
        draw = random.Random(1)
        for trial in range(60):
            problem = pulp.LpProblem("r%d" % trial, draw.choice([pulp.LpMinimize, pulp.LpMaximize]))
            x = [
                pulp.LpVariable(
                    "x%d" % j, draw.choice([0, -2, 1]), draw.choice([3, 5, 9]), draw.choice(["Integer", "Continuous"])
                )
                for j in range(6)
            ]
            problem += pulp.lpSum(draw.randint(-5, 5) * v for v in x) + draw.randint(-3, 3)
            for _ in range(4):
                left = pulp.lpSum(draw.randint(-3, 4) * v for v in x)
                side = draw.randint(0, 12)
                problem += left <= side if draw.random() < 0.7 else left >= side
            problem.solve(reference)
            want = problem.status, pulp.value(problem.objective)
            problem.solve(PROXYBD(msg=False, gapRel=0))
            self.assertEqual(problem.status, want[0], trial)
            if want[0] == pulp.LpStatusOptimal:
                self.assertAlmostEqual(pulp.value(problem.objective), want[1], 5)

    def test_missing_binary(self):
        self.assertFalse(PROXYBD(path="/nothing").available())
        problem, x, _ = self.problem()
        problem += x
        with self.assertRaises(pulp.PulpSolverError):
            problem.solve(PROXYBD(path="/nothing", msg=False))


if pulp is not None:

    class PuLPOwnTests(suite.BaseSolverTest.PuLPTest):
        """PuLP's own tests of a solver, with ours."""

        solveInst = PROXYBD


if __name__ == "__main__":
    unittest.main()
