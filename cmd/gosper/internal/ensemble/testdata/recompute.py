"""Computes the tables of an ensemble again from the cells that it dumped, in numpy, and compares them.

The ensemble is of one two-state rule on one torus without a shift, from one density, with the cells of all generations
and all universes dumped, in JSON lines. Whole numbers must be equal. Other numbers must agree to 1e-12 of
their size, or to 1e-15. Some derived ones are differences of larger numbers and agree a little less: see tolerances.
Bootstrap intervals, and the errors of connected, which are made from random samples, are not compared. Neither are
the census and the measures that throw lightning or noise; percolation and avalanches are those of recompute_more.py.
Prints how many numbers of each column agree, and "zero" if all are 0 or missing. Ends with exit code 1 and the
first differences if some do not agree.
"""
import math
import sys

import numpy as np

from tables import check, read, report

folder = sys.argv[1]
tables = read(folder, "cells", "universes", "samples", "values", "clusters", "kinetics", "summary", "averages", "lifespans")

# The cells: universe, generation, y, x.
arrays = {}
cells = {}
for row in tables["cells"]:
    if row["file"] not in arrays:
        arrays[row["file"]] = np.load(f"{folder}/{row['file']}")
    cells[row["index"], row["generation"]] = arrays[row["file"]][row["axis_0"], row["axis_1"]].astype(np.int64)
universes = sorted({index for index, _ in cells})
times = sorted({row["generation"] for row in tables["samples"]})
n = len(universes)
height, width = cells[0, 0].shape
area = width * height
waiting = sorted({int(row["quantity"].split()[1]) for row in tables["values"] if row["quantity"].startswith("two_time_now ")})
distance = len(tables["samples"][0]["pairs"]) - 1


def step(a):
    """One generation of Life."""
    around = sum(np.roll(a, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - a
    return ((around == 3) | (a == 1) & (around == 2)).astype(np.int64)


def clusters_of(a):
    """The sizes of the clusters of a torus, of cells that touch at edges or corners."""
    left, sizes = {(int(y), int(x)) for y, x in np.argwhere(a)}, []
    while left:
        open_cells, size = [left.pop()], 0
        while open_cells:
            y, x = open_cells.pop()
            size += 1
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    near = (y + dy) % height, (x + dx) % width
                    if near in left:
                        left.remove(near)
                        open_cells.append(near)
        sizes.append(size)
    return sizes


def entropy(a, side):
    """Plug-in and Miller-Madow entropy of blocks in bits a cell, the number of blocks and of patterns."""
    codes = sum(np.roll(a, (-dy, -dx), (0, 1)) << (side * dy + dx) for dy in range(side) for dx in range(side))
    counts = np.unique(codes, return_counts=True)[1]
    shares = counts / area
    bits = -np.sum(shares * np.log2(shares))
    corrected = bits + (len(counts) - 1) / (2 * area * math.log(2))
    third = math.log2(area) - np.sum(shares * [grassberger(int(c)) for c in counts]) / math.log(2)
    return round(bits / side**2, 9), round(corrected / side**2, 9), round(third / side**2, 9), area, len(counts)


def grassberger(count):
    """psi(n) + (-1)^n/2 (psi((n+1)/2) - psi(n/2)), the estimate of ln n; psi from whole and half numbers."""
    def psi(twice):
        x, value = (1.0, -np.euler_gamma) if twice % 2 == 0 else (0.5, -np.euler_gamma - 2 * math.log(2))
        return value + sum(1 / (x + k) for k in range((twice - 1) // 2))
    return psi(2 * count) + (-1)**count / 2 * (psi(count + 1) - psi(count))


def pairs(a, r):
    return int(np.sum(a * np.roll(a, -r, 1)) + np.sum(a * np.roll(a, -r, 0)))


def mutual(a, r):
    """Mutual information of cells at a distance, from the pairs along both axes."""
    first = np.concatenate([a.ravel(), a.ravel()])
    second = np.concatenate([np.roll(a, -r, 1).ravel(), np.roll(a, -r, 0).ravel()])
    bits = 0.0
    for x in (0, 1):
        for y in (0, 1):
            joint = np.mean((first == x) & (second == y))
            if joint > 0:
                bits += joint * math.log2(joint / (np.mean(first == x) * np.mean(second == y)))
    states = len(np.unique(a))
    return round(bits - (states - 1)**2 / (4 * area * math.log(2)), 9)


def agreement(a, r):
    return (int(np.sum(a == np.roll(a, -r, 1))) + int(np.sum(a == np.roll(a, -r, 0)))) / (2 * area)


def spectrum(a, q):
    """The mean power of the modes whose wave vectors have the length q after rounding."""
    power = np.abs(np.fft.fft2(2 * a - 1))**2 / area
    short = min(width, height)
    kx, ky = np.fft.fftfreq(width) * short, np.fft.fftfreq(height) * short
    shell = np.floor(np.hypot(kx[None, :], ky[:, None]) + 0.5)
    return round(float(np.mean(power[shell == q])), 9)


def structure(a, q):
    power = np.abs(np.fft.fft2(2 * a - 1)) ** 2 / area
    return round((power[0, q] + power[q, 0]) / 2, 9)


def from_middle(a):
    """Squares of the distances of live cells from the middle, the shorter way, and the largest along an axis."""
    y, x = np.nonzero(a)
    dy, dx = abs(y - height // 2), abs(x - width // 2)
    dy, dx = np.minimum(dy, height - dy), np.minimum(dx, width - dx)
    return int(np.sum(dy**2 + dx**2)), int(max(dy.max(initial=0), dx.max(initial=0)))


# The twins of measure damage: the cell in the middle is changed at the beginning.
twins = {}
for u in universes:
    a = cells[u, 0].copy()
    a[height // 2, width // 2] ^= 1
    for t in range(times[-1] + 1):
        twins[u, t] = a
        a = step(a)

# All that is found in single universes, by quantity: generation -> list over universes.
found = {}
histograms = {}  # generation -> list over universes of arrays, number of clusters by size
for t in times:
    at = found[t] = {}
    histograms[t] = []
    for u in universes:
        a, ones = cells[u, t], int(cells[u, t].sum())
        sizes = clusters_of(a)
        histograms[t].append(np.bincount(sizes, minlength=area + 1))
        largest = max(sizes, default=0)
        moment = sum(s * s for s in sizes)
        m = 2 * ones / area - 1
        squares, extent = from_middle(a)
        damage_squares, damage_extent = from_middle(a != twins[u, t])
        equal = -int(np.sum(a == np.roll(a, 1, 0)) + np.sum(a == np.roll(a, 1, 1))) / area
        first = cells[u, times[0]]
        spins = 2 * a - 1
        e = -float(np.sum(spins * (np.roll(spins, -1, 0) + np.roll(spins, -1, 1)))) / area
        plug_in, corrected, third, blocks, patterns = entropy(a, 2)
        new = {
            "population": ones, "density": ones / area, "entropy": plug_in, "entropy_miller_madow": corrected, "entropy_grassberger": third,
            "blocks": blocks, "patterns": patterns, "clusters": len(sizes), "largest": largest, "second_moment": moment,
            "second_moment_rest": moment - largest**2,
            "magnetisation": m, "abs_magnetisation": abs(m), "magnetisation_2": m**2, "magnetisation_4": m**4,
            "energy": e, "energy_2": e**2, "spin": m,
            "overlap": int(np.sum(first * a)) / area, "first_density": int(first.sum()) / area, "now_density": ones / area,
            "damaged": float((a != twins[u, t]).any()), "damage": float(np.mean(a != twins[u, t])),
            "damage_squares": float(damage_squares), "damage_extent": float(damage_extent),
            "state 0": 1 - ones / area, "state 1": ones / area, "share 0": 1 - ones / area, "share 1": ones / area,
            "bit 0": ones / area, **{f"bit {k}": 0.0 for k in range(1, 8)},
            # the corners of a simplex in one dimension are 1 and -1
            "order": abs(m), "order_2": m**2, "order_4": m**4, "potts_energy": equal, "potts_energy_2": equal**2,
            "alive": float(ones > 0), "live": float(ones), "squares": float(squares), "extent": float(extent),
        }
        if t > 0:
            before = cells[u, t - 1]
            new["births"] = int(np.sum((a == 1) & (before == 0)))
            new["deaths"] = int(np.sum((a == 0) & (before == 1)))
            new["activity"] = int(np.sum(a != before)) / area
        for r in range(distance + 1):
            new[f"pairs {r}"] = pairs(a, r)
            new[f"correlation {r}"] = pairs(a, r) / (2 * area) - (ones / area) ** 2
            new[f"structure {r}"] = structure(a, r)
            if r > 0:
                new[f"mutual {r}"] = mutual(a, r)
                new[f"agreement {r}"] = agreement(a, r)
            new[f"spectrum {r}"] = spectrum(a, r)
        for w in waiting:
            if t >= w:
                then = cells[u, w]
                before, now = int(then.sum()) / area, ones / area
                new |= {f"two_time_overlap {w}": int(np.sum(then * a)) / area, f"two_time_before {w}": before,
                        f"two_time_now {w}": now, f"two_time_product {w}": before * now,
                        f"two_time_before_2 {w}": before**2, f"two_time_now_2 {w}": now**2}
        for name, value in new.items():
            at.setdefault(name, []).append(value)

# The dump itself: every generation follows from the one before.
for u in universes:
    for t in range(times[-1]):
        if not np.array_equal(step(cells[u, t]), cells[u, t + 1]):
            wrong.append(f"universe {u}: generation {t + 1} does not follow from {t}")

for row in tables["samples"]:
    at, u, where = found[row["generation"]], row["index"], (row["generation"], row["index"])
    for name in ("population", "density", "births", "deaths", "activity", "entropy", "entropy_miller_madow", "entropy_grassberger",
                 "blocks", "patterns", "clusters", "largest", "second_moment", "second_moment_rest"):
        check(f"samples.{name}", where, row[name], at[name][u] if name in at else None)
    for r, count in enumerate(row["pairs"]):
        check("samples.pairs", (*where, r), count, at[f"pairs {r}"][u])
for row in tables["values"]:
    check(f"values.{row['quantity'].split()[0]}", (row["generation"], row["index"], row["quantity"]), row["value"],
          found[row["generation"]][row["quantity"]][row["index"]])


def mean_and_error(x):
    x = np.asarray(x, dtype=float)
    return float(np.mean(x)), float(np.std(x, ddof=1) / math.sqrt(len(x)))


def jackknife(columns, of):
    """The jackknife's estimate of a function of means, and its error, in long numbers because differences cancel."""
    columns = np.asarray(columns, dtype=np.longdouble)
    whole = of(*columns.mean(axis=1))
    without = np.array([of(*np.delete(columns, k, axis=1).mean(axis=1)) for k in range(n)])
    error = np.sqrt((n - 1) * np.mean((without - without.mean()) ** 2))
    if not np.isfinite(error):
        return float(whole), None  # there is no number without one of the universes
    return float(n * whole - (n - 1) * without.mean()), float(error)


def correlated(both, first, now):
    return (both - first * now) / np.sqrt(first * (1 - first) * now * (1 - now))


derived = {
    "binder": (("magnetisation_2", "magnetisation_4"), lambda m2, m4: 1 - m4 / (3 * m2**2)),
    "susceptibility": (("magnetisation_2", "abs_magnetisation"), lambda m2, m: area * (m2 - m**2)),
    "energy_variance": (("energy_2", "energy"), lambda e2, e: area * (e2 - e**2)),
    "autocorrelation": (("overlap", "first_density", "now_density"), correlated),
    "square_distance": (("squares", "live"), lambda s, n: s / n),
    "extent_alive": (("extent", "alive"), lambda e, n: e / n),
    "damage_square_distance": (("damage_squares", "damage"), lambda s, d: s / (area * d)),
    "damage_extent_alive": (("damage_extent", "damaged"), lambda e, n: e / n),
    "order_binder": (("order_2", "order_4"), lambda m2, m4: 1 - m4 / (3 * m2**2)),
    "order_susceptibility": (("order_2", "order"), lambda m2, m: area * (m2 - m**2)),
    "potts_energy_variance": (("potts_energy_2", "potts_energy"), lambda e2, e: area * (e2 - e**2)),
    # of squares, from modes of the connected correlation: the mean spin is not 0
    "correlation_length": (("structure 0", "structure 1", "spin"), lambda s0, s1, m:
                           np.sqrt((s0 - area * m**2) / s1 - 1) / (2 * np.sin(np.longdouble(np.pi) / width))),
}
for r in range(1, distance + 1):
    derived[f"agreement_connected {r}"] = (
        (f"agreement {r}", "share 0", "share 1"), lambda same, p0, p1: same - p0**2 - p1**2)

for w in waiting:
    derived[f"two_time_cells {w}"] = ((f"two_time_overlap {w}", f"two_time_before {w}", f"two_time_now {w}"), correlated)
    derived[f"two_time_density {w}"] = (
        tuple(f"two_time_{name} {w}" for name in ("product", "before", "now", "before_2", "now_2")),
        lambda both, before, now, before2, now2:
            (both - before * now) / np.sqrt((before2 - before**2) * (now2 - now**2)))


# Differences of larger numbers agree a little less: relative and absolute tolerance.
tolerances = {"agreement_connected": (1e-12, 4e-15)}
tolerances |= dict.fromkeys(("susceptibility", "order_susceptibility", "energy_variance", "potts_energy_variance"), (1e-11, 1e-15))


def check_means(table, row, values):
    name, where = row["quantity"], (row.get("generation"), row["quantity"])
    kind = name.split()[0]
    check(f"{table}.universes", where, row["universes"], n)
    if name in derived:
        from_, of = derived[name]
        mean, error = jackknife([values[q] for q in from_], of)
    elif kind == "connected":  # whose error is that of random bootstrap samples
        products = np.array(values[f"pairs {name.split()[1]}"]) / (2 * area)
        mean, error = float(np.mean(products) - np.mean(values["density"]) ** 2), None
    else:
        mean, error = mean_and_error(values[name])
    check(f"{table}.{kind}", where, row["mean"], mean, *tolerances.get(kind, ()))
    if error is not None or name in derived:
        check(f"{table}.{kind} error", where, row["error"], error, *tolerances.get(kind, ()))


for row in tables["summary"]:
    check_means("summary", row, found[row["generation"]])
late = [t for t in times if t >= tables["averages"][0]["first"]]
over = {name: np.mean([found[t][name] for t in late], axis=0) for name in found[late[0]]}
for row in tables["averages"]:
    check("averages.samples", row["quantity"], row["samples"], len(late))
    check_means("averages", row, over)

for t in times:  # every size that there is has a row, and no other one
    listed = [row["size"] for row in tables["clusters"] if row["generation"] == t]
    check("clusters.size", t, str(listed), str([int(s) for s in np.flatnonzero(sum(histograms[t]))]))
for row in tables["clusters"]:
    s, where = row["size"], (row["generation"], row["size"])
    numbers = np.array([h[s] for h in histograms[row["generation"]]])
    largest = np.array([np.flatnonzero(h).max(initial=0) == s for h in histograms[row["generation"]]]).astype(int)
    check("clusters.clusters", where, row["clusters"], int(numbers.sum()))
    check("clusters.squares", where, row["squares"], int((numbers**2).sum()))
    check("clusters.largest", where, row["largest"], int(largest.sum()))
    check("clusters.squares_rest", where, row["squares_rest"], int(((numbers - largest) ** 2).sum()))
    for suffix, counted in (("", numbers), ("_rest", numbers - largest)):
        mean, error = mean_and_error(counted / area)
        check(f"clusters.n_s{suffix}", where, row["n_s" + suffix], mean)
        check(f"clusters.error{suffix}", where, row["error" + suffix], error)

expected = []
for since, t in zip(times, times[1:]):
    both = np.flatnonzero(sum(histograms[since]) + sum(histograms[t]))
    expected += [(since, t, int(s)) for s in both]
check("kinetics.size", "all", str([(row["since"], row["generation"], row["size"]) for row in tables["kinetics"]]),
      str(expected))
for row in tables["kinetics"]:
    s, where = row["size"], (row["generation"], row["size"])
    now, before = np.array(histograms[row["generation"]]), np.array(histograms[row["since"]])
    per = area * (row["generation"] - row["since"])
    rate, rate_error = mean_and_error((now[:, s] - before[:, s]) / per)
    flux, flux_error = mean_and_error((now[:, s + 1:].sum(axis=1) - before[:, s + 1:].sum(axis=1)) / per)
    growth = growth_error = None
    if now[:, s].any() and before[:, s].any():
        growth = math.log(now[:, s].mean() / before[:, s].mean()) / (row["generation"] - row["since"])
        relative = now[:, s] / now[:, s].mean() - before[:, s] / before[:, s].mean()
        growth_error = mean_and_error(relative)[1] / (row["generation"] - row["since"])
    for name, value in (("rate", rate), ("rate_error", rate_error), ("flux", flux), ("flux_error", flux_error),
                        ("growth", growth), ("growth_error", growth_error)):
        check(f"kinetics.{name}", where, row[name], value)

transients = []
for row in tables["universes"]:
    u = row["index"]
    a, seen, t = cells[u, 0], {}, 0
    while a.tobytes() not in seen:
        seen[a.tobytes()] = t
        a, t = step(a), t + 1
    transient = seen[a.tobytes()]
    transients.append(transient)
    check("universes.population", u, row["population"], found[times[-1]]["population"][u])
    check("universes.transient", u, row["transient"], transient)
    check("universes.period", u, row["period"], t - transient)
life = tables["lifespans"][0]
mean, error = mean_and_error(transients)
check("lifespans.restricted", "", life["restricted"], mean)
check("lifespans.error", "", life["error"], error)
check("lifespans.median", "", life["median"], sorted(transients)[(n - 1) // 2])

report()
