"""The tables of an ensemble, as JSON lines, and the comparison of their numbers with others."""
import json
import os
import sys

compared, nonzero, wrong = {}, set(), []


def read(folder, *names):
    """The rows of some tables; none of a table that was not written."""
    tables = {}
    for name in names:
        tables[name] = []
        if os.path.exists(f"{folder}/{name}.jsonl"):
            with open(f"{folder}/{name}.jsonl") as file:
                tables[name] = [json.loads(line) for line in file]
    return tables


def check(column, where, got, want, relative=1e-12, absolute=1e-15):
    """Compares a number of a table with another one: whole numbers exactly, others to the tolerances."""
    real = isinstance(got, (int, float)) and isinstance(want, float)
    same = abs(got - want) <= relative * abs(want) + absolute if real else got == want
    if not same:
        wrong.append(f"{column} at {where}: the table has {got!r}, numpy {want!r}")
    compared[column] = compared.get(column, 0) + 1
    if want:
        nonzero.add(column)


def report():
    """Prints how many numbers of each column were compared. Ends with exit code 1 and the first differences, if any."""
    for column in sorted(compared):
        print(column, compared[column], "" if column in nonzero else "zero")
    if wrong:
        print(*wrong[:20], f"{len(wrong)} differences", sep="\n", file=sys.stderr)
        sys.exit(1)
