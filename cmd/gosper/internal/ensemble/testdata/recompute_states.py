"""Computes what ensembles of many states measure again, from the dumped cells: entropy, mutual information, agreement
and spectrum over all states, from their definitions in docs/measures.md. Usage: recompute_states.py FOLDER STATES"""

import json
import sys

import numpy as np

folder = sys.argv[1]


def rows(name):
    with open(f"{folder}/{name}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


cells = np.load(f"{folder}/cells-1.npy").astype(int)
place = {(r["index"], r["generation"]): (r["axis_0"], r["axis_1"]) for r in rows("cells")}
values = {(r["index"], r["generation"], r["quantity"]): r["value"] for r in rows("values")}
states = int(sys.argv[2])
compared = {}


def compare(name, want, got):
    if abs(want - got) > 1e-8:
        sys.exit(f"{name}: numpy has {want}, the table {got}")
    compared[name.split()[0]] = compared.get(name.split()[0], False) or got != 0


for sample in rows("samples"):
    key = (sample["index"], sample["generation"])
    c = cells[place[key]]
    n, side = c.size, len(c)
    block = sum(states**k * np.roll(c, shift, (0, 1)) for k, shift in enumerate([(0, 0), (0, -1), (-1, 0), (-1, -1)]))
    p = np.bincount(block.ravel()) / n
    p = p[p > 0]
    compare("entropy", -(p * np.log2(p)).sum() / 4, sample["entropy"])
    share = np.bincount(c.ravel(), minlength=states) / n
    for k in range(states):
        compare(f"state {k}", share[k], values[(*key, f"state {k}")])
    for r in range(1, 5):
        joint = np.zeros((states, states))
        for axis in (0, 1):
            np.add.at(joint, (c.ravel(), np.roll(c, -r, axis).ravel()), 1 / (2 * n))
        there = joint > 0
        bits = (joint[there] * np.log2((joint / np.outer(share, share))[there])).sum()
        bias = ((share > 0).sum() - 1) ** 2 / (4 * n * np.log(2))
        compare(f"mutual {r}", bits - bias, values[(*key, f"mutual {r}")])
        compare(f"agreement {r}", np.trace(joint), values[(*key, f"agreement {r}")])
    power = sum(abs(np.fft.fft2((c == k) - 1 / states)) ** 2 for k in range(states)) * states / (states - 1) / n
    f = np.fft.fftfreq(side, 1 / side)
    shell = np.rint(np.hypot(*np.meshgrid(f, f))).astype(int)
    for q in range(5):
        compare(f"spectrum {q}", power[shell == q].mean(), values[(*key, f"spectrum {q}")])

for name, varies in compared.items():
    if not varies:
        sys.exit(f"{name} is 0 everywhere, which shows nothing")
    print(name)
