"""Rules as Python functions: against the same rules in numpy, bit for bit, and against the engine ``reference``."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import gosper

GENERATIONS = 1000


def rolled(cells, offsets):
    """The states of neighbours, one array for each offset (rows, columns)."""
    return [np.roll(cells, (-y, -x), (0, 1)) for y, x in offsets]


def near(radius=1):
    span = range(-radius, radius + 1)
    return [(y, x) for y in span for x in span if (y, x) != (0, 0)]


def uniform(seed, generation, height, width):
    """The random number U of each cell in units of 2^-32, as internal/random defines it, for probabilities above 1/32."""
    low = np.uint64(0xFFFFFFFF)
    rows, blocks = np.meshgrid(np.arange(height, dtype=np.uint64), np.arange((width + 63) // 64, dtype=np.uint64), indexing="ij")
    a, b, c, d = blocks, rows, np.full_like(rows, generation), np.zeros_like(rows)
    key0, key1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(7):
        p, q = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b, c, d = (q >> np.uint64(32)) ^ b ^ np.uint64(key0), q & low, (p >> np.uint64(32)) ^ d ^ np.uint64(key1), p & low
        key0, key1 = (key0 + 0x9E3779B9) & 0xFFFFFFFF, (key1 + 0xBB67AE85) & 0xFFFFFFFF
    first, second = b << np.uint64(32) | a, d << np.uint64(32) | c
    u = np.zeros((height, blocks.shape[1] * 64), np.uint64)
    columns = np.arange(64, dtype=np.uint64)
    for _ in range(32):
        word = (first ^ first >> np.uint64(32)) & low | (second & low ^ second >> np.uint64(32)) << np.uint64(32)
        u = u << np.uint64(1) | (word[:, :, np.newaxis] >> columns & np.uint64(1)).reshape(height, -1)
        first = (first & low) * np.uint64(4294883355) + (first >> np.uint64(32))
        second = (second & low) * np.uint64(4294883355) + (second >> np.uint64(32))
    return u[:, :width]


def compare(rule, step, cells, seed=None):
    """Runs a rule and its step in numpy. The engine reference joins for the first generations."""
    text = str(rule) if seed is None else f"{rule}~seed={seed}"
    with gosper.Universe(text, cells=cells) as u, gosper.Universe(text, cells=cells, engine="reference") as reference:
        for generation in range(GENERATIONS):
            cells = step(cells) if seed is None else step(cells, uniform(seed, generation, *cells.shape))
            if generation in (0, 9):
                for one in (u, reference):
                    one.step(generation + 1 - one.generation)
                    assert np.array_equal(one.cells, cells), (one, generation)
        u.step(GENERATIONS - u.generation)
        assert np.array_equal(u.cells, cells)
        assert len(np.unique(cells)) > 1, "the universe has died"


def random(states, shape=(30, 66), seed=1):
    return np.random.default_rng(seed).integers(0, states, shape).astype(np.uint8)


def test_greenberg_hastings():
    @gosper.rule(states=3)
    def greenberg_hastings(cell, neighbours):
        if cell == 0:
            return int(1 in neighbours)
        return (cell + 1) % 3

    def step(a):
        excited = np.any([n == 1 for n in rolled(a, near())], axis=0)
        return np.where(a == 0, excited, (a + 1) % 3).astype(np.uint8)

    compare(greenberg_hastings, step, random(3))


def test_forest_fire():
    grow, lightning = 0.05, 0.002

    @gosper.rule(states=3, neighbourhood="von neumann")
    def forest_fire(cell, neighbours):  # 0 empty, 1 tree, 2 fire
        if cell == 0:
            return grow
        if cell == 1:
            return 2 if 2 in neighbours else lightning
        return 0

    def step(a, u):
        fire = np.any([n == 2 for n in rolled(a, [(-1, 0), (0, -1), (0, 1), (1, 0)])], axis=0)
        grows, struck = (u < int(p * 2**32 + 0.5) for p in (grow, lightning))
        return np.where(a == 0, grows, np.where(a == 1, np.where(fire | struck, 2, 1), 0)).astype(np.uint8)

    compare(forest_fire, step, random(3), seed=7)


def test_sir_epidemic():
    @gosper.rule(states=3, counts=True, radius=2, neighbourhood="von neumann")
    def sir(cell, counts):  # 0 susceptible, 1 infected, 2 recovered
        if cell == 0:
            return 1 - 0.9 ** float(counts[1])
        return [0.25, 0.05][cell - 1]

    offsets = [(y, x) for y, x in near(2) if abs(x) + abs(y) <= 2]

    def step(a, u):
        infected = np.sum([n == 1 for n in rolled(a, offsets)], axis=0)
        p = np.array([1 - 0.9 ** float(n) for n in range(13)])[infected]
        p = np.where(a == 0, p, np.where(a == 1, 0.25, 0.05))
        return np.where(u < (p * 2**32 + 0.5).astype(np.uint64), (a + 1) % 3, a).astype(np.uint8)

    compare(sir, step, random(3), seed=(1 << 63) + 5)


def test_majority_vote():
    @gosper.rule(states=3, counts=True, radius=3)
    def majority(cell, counts):
        return np.argmax(counts, axis=0)  # the first of several

    def step(a):
        return np.argmax([np.sum([n == s for n in rolled(a, near(3))], axis=0) for s in range(3)], axis=0).astype(np.uint8)

    compare(majority, step, random(3, (40, 70), 5))


def test_code_777():
    @gosper.rule(states=3, neighbourhood="line")
    def code_777(cell, neighbours):
        return 777 // 3 ** (cell + sum(neighbours)) % 3

    def step(a):
        digits = np.array([777 // 3**n % 3 for n in range(7)], np.uint8)
        return digits[a + np.roll(a, 1, 1) + np.roll(a, -1, 1)]

    compare(code_777, step, random(3, (1, 200)))


def test_order_of_neighbours():
    """Weights of the neighbours tell them apart; the order is that of the list."""
    offsets = [(2, -1), (0, 1), (-1, 0), (0, -3)]

    @gosper.rule(states=3, neighbourhood=offsets)
    def weighted(cell, neighbours):
        return (cell + neighbours[0] + 2 * neighbours[1] + neighbours[2] * neighbours[3]) % 3

    def step(a):
        n = rolled(a, offsets)
        return (a + n[0] + 2 * n[1] + n[2] * n[3]) % 3

    assert weighted.offsets == offsets
    compare(weighted, step, random(3))


@pytest.mark.parametrize("hood, inside", [("moore", lambda y, x: True), ("hexagonal", lambda y, x: abs(x - y) <= 1), ("line", lambda y, x: y == 0)])
def test_named_neighbourhoods(hood, inside):
    offsets = [o for o in near() if inside(*o)]
    made = gosper.rule(lambda c, n: int((c + np.dot(n, np.arange(1, len(n) + 1))) % 2), neighbourhood=hood)
    assert made.offsets == offsets
    compare(made, lambda a: ((a + sum((i + 1) * n for i, n in enumerate(rolled(a, offsets)))) % 2).astype(np.uint8), random(2))


def test_tables():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 4, (4,) * 5)
    table[(0,) * 5] = 0
    cells = random(4)
    made = gosper.rule(table, states=4, neighbourhood="von neumann", name="random")
    compare(made, lambda a: table[(a, *rolled(a, made.offsets))].astype(np.uint8), cells)
    assert str(made).startswith("random-")
    counted = rng.integers(0, 3, (3, 13, 13))
    made = gosper.rule(counted, states=3, neighbourhood="von neumann", radius=2, counts=True)

    def step(a):
        n = rolled(a, made.offsets)
        return counted[a, np.sum([x == 1 for x in n], axis=0), np.sum([x == 2 for x in n], axis=0)].astype(np.uint8)

    compare(made, step, random(3))


def test_arrays_and_single_calls_agree():
    """A function of many cases is called with arrays, unless that gives something else: np.sum without an axis does."""
    calls = []

    def counted(cell, neighbours):
        calls.append(np.shape(cell))
        return np.where(np.sum(neighbours, axis=0) == 3, 1, cell % 2)

    fast = gosper.rule(counted, states=3, name="x")
    assert len(calls) < 1000
    slow = gosper.rule(lambda c, n: 1 if sum(n) == 3 else c % 2, states=3, name="x")
    wrong_axis = gosper.rule(lambda c, n: np.where(np.sum(n) == 3, 1, c % 2), states=3, name="x")
    assert fast == slow == wrong_axis


def test_odds_of_every_state():
    made = gosper.rule(lambda c, n: [0.25, 0.25, 0.5], states=3)
    with gosper.Universe(made, (256, 256), density=0.5, seed=3) as u:
        u.step(1)
        shares = np.bincount(u.cells.ravel(), minlength=3) / u.cells.size
    assert np.allclose(shares, [0.25, 0.25, 0.5], atol=0.01)


@pytest.fixture
def far():
    """A rule that no table of the 3×3 block can hold."""
    return gosper.rule(lambda c, n: int(n[1] > n[2]) + (n[2] > 3 * n[1]), states=3, counts=True, radius=2, name="far")


def elsewhere(*args):
    """Runs a command that knows no rule of this process."""
    env = {name: value for name, value in os.environ.items() if name != "GOSPER_RULES"}
    run = subprocess.run([gosper.binary(), *map(str, args)], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_what_it_computes_contains_it(far, tmp_path):
    with gosper.Universe(far, cells=random(3)) as u:
        u.step(5)
        u.save(tmp_path / "a.rle")
        u.checkpoint(tmp_path / "a.ckpt")
        u.step(5)
        last = u.hash
    assert elsewhere("run", tmp_path / "a.rle", "-g", 5, "--json")["hash"] == last
    assert elsewhere("run", "--resume", tmp_path / "a.ckpt", "--to", 10, "--json")["hash"] == last
    e = gosper.ensemble(far, size=16, universes=2, generations=4, out=tmp_path / "e")
    assert e.report["universes"] == 2
    spec = json.loads((tmp_path / "e" / "ensemble.json").read_text()) if (tmp_path / "e" / "ensemble.json").exists() else {}
    assert "@FUNCTION" in json.dumps(spec) or any("@FUNCTION" in p.read_text(errors="replace") for p in (tmp_path / "e").rglob("*.json"))


def test_rule_file(far, tmp_path):
    far.save(tmp_path / "saved.rule")
    with pytest.raises(gosper.GosperError, match="exists"):
        far.save(tmp_path / "saved.rule")
    far.save(tmp_path / "saved.rule", force=True)
    with gosper.Universe(far, cells=random(3)) as u, gosper.Universe(str(tmp_path / "saved.rule"), cells=random(3)) as v:
        u.step(7)
        v.step(7)
        assert v.rule == "saved" and np.array_equal(u.cells, v.cells)
    with pytest.raises(gosper.InputError, match="no such file"):
        gosper.Universe(str(tmp_path / "missing.rule"), 8)
    wires = gosper.rule(lambda c, n: [0, 2, 3, 1 if n[1] in (1, 2) else 3][c], states=4, counts=True)
    wires.save(tmp_path / "Wires.rule")
    assert "@TREE" in (tmp_path / "Wires.rule").read_text()


def test_pickle_and_explain(far):
    again = pickle.loads(pickle.dumps(far))
    assert again == far and again.states == 3 and again.offsets == far.offsets
    assert gosper.explain(far)["states"] == 3 and far.cost["tables"] > 0
    assert far(0, np.array([0, 2, 1])) == 1
    with pytest.raises(gosper.InputError, match="has no function"):
        again(0, [1])


def test_errors():
    for text, call in (
        ("3 states of 24 neighbours have 847288609443 cases: 16777216 are allowed; counts=True, or an own list of offsets, takes fewer",
         lambda: gosper.rule(lambda c, n: 0, states=3, radius=2)),
        ("the function returns 3: states 0 to 2 are allowed", lambda: gosper.rule(lambda c, n: 3, states=3)),
        ("the function returns 2.0: a float is a probability, from 0 to 1, and an int is a state", lambda: gosper.rule(lambda c, n: 2.0, states=3)),
        ("the function returns None: a state, a probability, or 2 probabilities that add up to 1 are allowed", lambda: gosper.rule(lambda c, n: None)),
        ("the function fails for cell 0 and neighbours [0, 0]: IndexError: list index out of range",
         lambda: gosper.rule(lambda c, n: [][c], neighbourhood="line")),
        ("a table of shape (2, 2): a function, or an array of shape (2, 2, 2), is allowed", lambda: gosper.rule(np.zeros((2, 2), int), neighbourhood="line")),
        ("neighbourhood 'mor': moore, von neumann, hexagonal, line, circle, cube, faces, ball and lists of offsets are allowed",
         lambda: gosper.rule(neighbourhood="mor")),
        ("radius 17: a whole number from 1 to 16 is allowed", lambda: gosper.rule(radius=17)),
    ):  # fmt: skip
        with pytest.raises(gosper.InputError) as raised:
            call()
        assert str(raised.value) == text


def test_function_as_rule_says_what_to_do():
    with pytest.raises(gosper.InputError, match="gosper.rule makes a rule of a function"):
        gosper.Universe(lambda c, n: c, 8)


def test_two_processes(far):
    """A rule that comes from another process is known here."""
    code = "import pickle, sys, gosper; u = gosper.Universe(pickle.load(sys.stdin.buffer), 8, density=0.5, seed=1); u.step(3); print(u.hash)"
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(far), env=env, capture_output=True)
    assert run.returncode == 0, run.stderr
    with gosper.Universe(far, 8, density=0.5, seed=1) as u:
        u.step(3)
        assert run.stdout.decode().strip() == u.hash
