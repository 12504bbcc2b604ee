#!/usr/bin/env python3
"""Measures what Python costs: stepping beside the command line, and reading a large universe.

    GOSPER_BINARY=… python3 python/measure.py

Processor time of all processes, in pairs that alternate, so that a busy machine disturbs both alike; the median of the pairs.
"""

import resource
import statistics
import subprocess
import time

import gosper

SIZE, GENERATIONS, PAIRS, LARGE = 4096, 10_000, 9, 16384


def processor_time() -> float:
    """Seconds that this process and those that it has waited for have computed."""
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def cost(work) -> float:
    before = processor_time()
    work()
    return processor_time() - before


def command_line() -> None:
    flags = f"--rule B3/S23 --size {SIZE} --seed 1 -g {GENERATIONS} --engine cpu --threads 1 --hash none --quiet"
    subprocess.run([gosper.binary(), "run", *flags.split()], check=True)


def python() -> None:
    with gosper.Universe("B3/S23", shape=(SIZE, SIZE), density=0.5, seed=1, engine="cpu", threads=1) as u:
        u.step(GENERATIONS)


command_line(), python()  # warm
ratios = [cost(command_line) / cost(python) for _ in range(PAIRS)]
print(f"stepping from Python: {100 * statistics.median(ratios):.1f} % of the command line's rate (pairs: {min(ratios):.3f} to {max(ratios):.3f})")

with gosper.Universe("B3/S23", shape=(LARGE, LARGE), density=0.5, seed=1, engine="cpu") as u:
    walls = []
    before = processor_time()
    for _ in range(5):
        begin = time.perf_counter()
        cells = u.cells
        walls.append(time.perf_counter() - begin)
        assert cells.shape == (LARGE, LARGE)
        del cells
total = processor_time() - before  # the universe's process is counted once it has ended: its soup is included
print(f"reading {LARGE}²: {min(walls):.3f} s at best, {statistics.median(walls):.3f} s in the middle of 5; {total / 5:.3f} s of processor time each, soup included")
