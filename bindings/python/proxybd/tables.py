"""Instances from tables."""

import csv
import os
import tempfile

from .program import solve


def columns(table):
    """Returns a table as a dictionary of lists, one a column, and the order of its columns.

    A table is a pandas data frame, or another object with ``columns`` whose columns are found by their names; a
    dictionary of lists; or a list of dictionaries, one a row.
    """
    if hasattr(table, "columns"):
        names = [str(name) for name in table.columns]
        lists = {str(name): list(table[name]) for name in table.columns}
    elif isinstance(table, dict):
        names = [str(name) for name in table]
        lists = {str(name): list(column) for name, column in table.items()}
    else:
        rows = list(table)
        if not rows or not all(isinstance(row, dict) for row in rows):
            raise TypeError("a table is an object with columns, a dictionary of lists or a list of dictionaries")
        names = list(rows[0])
        for number, row in enumerate(rows):
            if set(row) != set(names):
                raise ValueError("row %d of a table has the columns %s, the first one %s" % (number, list(row), names))
        lists = {name: [row[name] for row in rows] for name in names}

    # Columns of different lengths would shift cells without a word.
    lengths = {len(column) for column in lists.values()}
    if len(lengths) > 1:
        raise ValueError("the columns of a table have different lengths: %s" % {n: len(lists[n]) for n in names})
    return names, lists


def write_tables(file, problem, tables, name="tables"):
    """Writes tables as one CSV file that ``proxybd solve`` reads."""
    out = csv.writer(file, lineterminator="\n")
    out.writerow(["problem", problem])
    out.writerow(["name", name])
    for table in tables:
        names, lists = columns(table)
        out.writerow([])
        out.writerow(names)
        for row in zip(*(lists[name] for name in names)):
            out.writerow([_cell(value) for value in row])


def _cell(value):
    """Returns a cell as text: numbers with all their digits, missing ones empty."""
    if value is None or value != value:  # NaN, and what data frames have for a cell that is missing
        return ""
    if isinstance(value, float):
        return repr(float(value))
    return value


def solve_tables(problem, *tables, name="tables", **options):
    """Solves an instance that is given as tables, and returns the Result with the tables of its solution.

    ``problem`` is a family with table files (``proxybd template`` lists them: cap, ufl, mcndp, scflp, netdes); ``tables`` are
    those of its template, in any order, recognised by the names of their columns::

        proxybd.solve_tables("cap", facilities, clients, costs, time_limit=60)

    Options are the flags of ``proxybd solve``.
    """
    with tempfile.TemporaryDirectory(prefix="proxybd-") as folder:
        path = os.path.join(folder, "tables.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            write_tables(file, problem, tables, name)
        return solve(path, **options)
