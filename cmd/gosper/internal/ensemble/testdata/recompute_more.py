"""Computes further measures of an ensemble again from the cells that it dumped, in numpy, and compares them.

The ensemble is of one rule and one density, with the cells of all universes dumped, in JSON lines. Either it is of two
states on a torus, with percolation, or a sandpile on a plane, with avalanches. Whole numbers must be equal. Other
numbers must agree to 1e-12 of their size, or to 1e-15.
Prints how many numbers of each column agree. Ends with exit code 1 and the first differences if some do not.
"""
import math
import sys

import numpy as np

from tables import check, compared, nonzero, read, report, wrong

folder = sys.argv[1]
tables = read(folder, "cells", "universes", "samples", "values", "summary")  # no values, if there is no instrument

arrays, cells = {}, {}
for row in tables["cells"]:
    if row["file"] not in arrays:
        arrays[row["file"]] = np.load(f"{folder}/{row['file']}")
    cells[row["index"], row["generation"]] = arrays[row["file"]][row["axis_0"], row["axis_1"]].astype(np.int64)
seeds = {row["index"]: int(row["seed"]) for row in tables["universes"]}
universes = sorted(seeds)
times = sorted({row["generation"] for row in tables["samples"]})
height, width = cells[0, 0].shape
area = width * height
names = {row["quantity"] for row in tables["values"]}


def spans(a):
    """The directions in which a cluster of a torus comes back to itself, of cells that touch at edges or corners."""
    place, x_too, y_too = {}, False, False  # place: of each cell, on the plane of all copies
    for start in zip(*np.nonzero(a)):
        if start in place:
            continue
        place[start] = start
        waiting = [start]
        while waiting:
            at = waiting.pop()
            y, x = place[at]
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    near = (at[0] + dy) % height, (at[1] + dx) % width
                    if not a[near]:
                        continue
                    if near not in place:
                        place[near] = y + dy, x + dx
                        waiting.append(near)
                    y_too |= place[near][0] != y + dy
                    x_too |= place[near][1] != x + dx
    return bool(x_too), bool(y_too)


class Random:
    """The generator PCG-DXSM (M. O'Neill), with whole numbers below a limit by D. Lemire's method."""

    def __init__(self, high, low):
        self.state = high << 64 | low

    def word(self):
        mask = (1 << 64) - 1
        self.state = self.state * 0x2360ED051FC65DA44385DF649FCCF645 + 0x5851F42D4C957F2D14057B7EF767814F
        self.state &= (1 << 128) - 1
        high, low = self.state >> 64, self.state & mask
        high ^= high >> 32
        high = high * 0xDA942042E4DD58B5 & mask
        high ^= high >> 48
        return high * (low | 1) & mask

    def below(self, n):
        if n & (n - 1) == 0:
            return self.word() & 0xFFFFFFFF & (n - 1)
        product = (self.word() >> 32) * n
        while product & 0xFFFFFFFF < (1 << 32) % n:
            product = (self.word() >> 32) * n
        return product >> 32


def topple(pile):
    """Lets a pile come to rest: topplings, different cells that topple, generations."""
    size, touched, duration = 0, np.zeros_like(pile, dtype=bool), 0
    while (pile >= 4).any():
        full = pile >= 4
        pile -= 4 * full
        pile[1:] += full[:-1]
        pile[:-1] += full[1:]
        pile[:, 1:] += full[:, :-1]
        pile[:, :-1] += full[:, 1:]
        size, touched, duration = size + int(full.sum()), touched | full, duration + 1
    return size, int(touched.sum()), duration


def avalanches(a, seed, generation):
    pile = a.copy()
    topple(pile)
    inside = pile[height // 4:height - height // 4, width // 4:width - width // 4]
    random, found = Random(seed, generation), {"height": pile.mean(), "height_inside": inside.mean()}
    all_of = []
    for _ in range((area + 15) // 16):
        at = random.below(area)
        pile[at // width, at % width] += 1
        all_of.append(topple(pile))
    sizes, areas, durations = np.array(all_of).T
    found |= {"avalanche_size": sizes.mean(), "avalanche_area": areas.mean(), "avalanche_duration": durations.mean()}
    for name in names:
        if "_from " in name:
            of = sizes if name.startswith("avalanche_size") else durations
            found[name] = float(np.mean(of >= 2 ** int(name.split()[1])))
    return {name: float(value) for name, value in found.items()}


found = {}  # generation -> quantity -> list over universes
for u in universes:
    for t in times:
        a = cells[u, t]
        new = {"density": float(np.mean(a == 1))}
        if "avalanche_size" in names:
            new |= avalanches(a, seeds[u], t)
        else:
            x, y = spans(a)
            new |= {"span": {(0, 0): "none", (1, 0): "x", (0, 1): "y", (1, 1): "both"}[x, y],
                    "percolating": float(x or y), "percolating_x": float(x), "percolating_y": float(y),
                    "percolating_both": float(x and y), "percolating_given": (x + y) / 2,
                    "percolating_one": 0.5 if x != y else 0.0}
        for name, value in new.items():
            found.setdefault(t, {}).setdefault(name, []).append(value)

for row in tables["samples"]:
    if "span" in found[row["generation"]]:
        check("samples.span", (row["generation"], row["index"]), row["span"],
              found[row["generation"]]["span"][row["index"]])
for row in tables["values"]:
    check(f"values.{row['quantity'].split()[0]}", (row["generation"], row["index"], row["quantity"]), row["value"],
          found[row["generation"]][row["quantity"]][row["index"]])


for row in tables["summary"]:
    name, kind, at = row["quantity"], row["quantity"].split()[0], found[row["generation"]]
    if name == "population":
        continue
    values = np.array(at[name])
    mean, error = float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))
    where = (row["generation"], name)
    check(f"summary.{kind}", where, row["mean"], mean)
    check(f"summary.{kind} error", where, row["error"], error)

for column in set(compared) - nonzero:
    wrong.append(f"{column} is 0 or missing everywhere, which shows nothing")
report()
