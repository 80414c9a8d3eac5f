"""Call the program proxybd from Python.

The module runs the binary and reads the JSON that it prints; it has no solver of its own and needs nothing but the
standard library. Three doors:

* ``proxybd.lp``, ``proxybd.mip`` and ``proxybd.solve`` take the path of a model or an instance;
* ``proxybd.solve_tables`` takes tables: pandas data frames, or anything else with columns;
* ``proxybd.pulp_solver.PROXYBD`` is a solver for PuLP.

The binary is the argument ``binary``, or the environment variable ``PROXYBD``, or ``proxybd`` in the search path.
"""

from .program import Error, Result, find_binary, lp, mip, run, solve, version
from .tables import solve_tables

__version__ = "0.1.0"

__all__ = ["Error", "Result", "find_binary", "lp", "mip", "run", "solve", "solve_tables", "version"]
