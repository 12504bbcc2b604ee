"""Universes against a naive evaluator in numpy."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import gosper
from test_values import refused


def life(cells: np.ndarray, born: set, survive: set, wrap: bool = True) -> np.ndarray:
    """One generation of a life-like rule, by the definition."""
    padded = np.pad(cells, 1, mode="wrap" if wrap else "constant")
    neighbours = sum(
        padded[1 + dy : padded.shape[0] - 1 + dy, 1 + dx : padded.shape[1] - 1 + dx]
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
        if (dx, dy) != (0, 0)
    )
    return np.where(cells == 1, np.isin(neighbours, list(survive)), np.isin(neighbours, list(born))).astype(np.uint8)


@pytest.mark.parametrize("shape", [(64, 64), (37, 101), (1, 9), (130, 3)])
@pytest.mark.parametrize("topology", ["torus", "plane"])
@pytest.mark.parametrize("rule, born, survive", [("B3/S23", {3}, {2, 3}), ("B36/S23", {3, 6}, {2, 3}), ("B2/S", {2}, set())])
def test_steps_as_numpy_does(shape, topology, rule, born, survive):
    cells = np.random.default_rng(7).integers(0, 2, shape, dtype=np.uint8)
    with gosper.Universe(rule, shape, topology=topology, cells=cells) as u:
        assert np.array_equal(u.cells, cells)
        for n in (1, 2, 5):
            u.step(n)
            for _ in range(n):
                cells = life(cells, born, survive, topology == "torus")
            assert np.array_equal(u.cells, cells)
            assert u.population == cells.sum()
        assert u.generation == 8


def test_many_states():
    cells = np.random.default_rng(3).integers(0, 3, (40, 50))
    with gosper.Universe("/2/3", cells=cells) as u:  # Brian's Brain
        assert u.states == 3 and u.shape == (40, 50)
        u.step()
        neighbours = life((cells == 1).astype(np.uint8), {2}, set())  # cells with two live neighbours that are not alive
        want = np.where(cells == 1, 2, np.where(cells == 2, 0, neighbours * (cells == 0)))
        assert np.array_equal(u.cells, want)


def sums_of_26(cells: np.ndarray, wrap: bool) -> np.ndarray:
    """Live neighbours of each cell of a volume, by the definition."""
    padded = np.pad((cells == 1).astype(int), 1, mode="wrap" if wrap else "constant")
    depth, height, width = cells.shape
    steps = [(dz, dy, dx) for dz in (0, 1, 2) for dy in (0, 1, 2) for dx in (0, 1, 2) if (dz, dy, dx) != (1, 1, 1)]
    return sum(padded[dz : dz + depth, dy : dy + height, dx : dx + width] for dz, dy, dx in steps)


@pytest.mark.parametrize("shape", [(16, 20, 24), (5, 33, 70), (1, 7, 9)])
@pytest.mark.parametrize("topology", ["torus", "plane"])
def test_volumes_step_as_numpy_does(shape, topology):
    cells = np.random.default_rng(7).integers(0, 5, shape)
    with gosper.Universe("4/4/5/M", shape, topology=topology, cells=cells) as u:
        assert u.shape == shape and u.states == 5 and u.extent == tuple(slice(0, side) for side in shape)
        for n in (1, 3):
            u.step(n)
            for _ in range(n):
                sums = sums_of_26(cells, topology == "torus")
                cells = np.where(cells == 0, sums == 4, np.where((cells == 1) & (sums == 4), 1, (cells + 1) % 5))
            assert np.array_equal(u.cells, cells)
            assert u.population == np.count_nonzero(cells)


def test_windows_of_volumes():
    with gosper.Universe("3D4,5/5", shape=(6, 8, 10)) as u:
        u[2, 3, 4] = 1
        u[-1] = np.eye(8, 10, dtype=int)
        u[0:2, 5, 1:3] = [[1, 0], [1, 1]]
        u[:, 0, 0] = 1
        cells = u.cells
        assert cells.shape == (6, 8, 10) and u[2, 3, 4] == cells[2, 3, 4] == 1
        assert np.array_equal(u[5], cells[5]) and u[5].trace() == 8
        assert np.array_equal(u[0:2, 5, 1:3], [[1, 0], [1, 1]])
        assert u[..., 0].shape == (6, 8) and u[3, ...].shape == (8, 10) and u[:, 7:3].shape == (6, 0, 10)
        assert u[:, 0, 0].tolist() == [1] * 6 and u.population == cells.sum()
        u.cells = 1 - cells
        assert np.array_equal(u.cells, 1 - cells)
        with pytest.raises(gosper.InputError, match="4 indices: the universe has layers, rows and columns"):
            u[0, 0, 0, 0]
        with pytest.raises(IndexError):
            u[6, 0, 0]
        with pytest.raises(gosper.InputError, match=r"cell \(4, 3, 2\) has state 2"):
            u[2, 3, 4] = 2


def test_volumes_are_those_of_the_command_line(tmp_path):
    with gosper.Universe("3D5..7/6", 24, density=0.2, seed=5) as u:
        assert u.shape == (24, 24, 24)
        u.step(9)
        out = tmp_path / "soup.npy"
        subprocess.run(
            [gosper.binary(), "run", "--rule", "3D5..7/6", "--size", "24", "--density", "0.2", "--seed", "5", "-g", "9", "--out", out, "-q"],
            check=True,
        )
        assert np.array_equal(u.cells, np.load(out))
        u.checkpoint(tmp_path / "soup.ckpt")
        u.save(tmp_path / "soup.rle3")
        with gosper.open(out, rule="3D5..7/6") as read, gosper.open(tmp_path / "soup.rle3") as rle, gosper.resume(tmp_path / "soup.ckpt") as resumed:
            assert np.array_equal(rle.cells, u.cells) and resumed.hash == u.hash and read.shape == u.shape
        six, all_ = u.clusters(6), u.clusters()
        assert six.cells == all_.cells == u.population and six.count > all_.count == u.clusters(26).count
        u.fill(0.2, seed=5)
        with gosper.Universe("3D5..7/6:T24,24,24", density=0.2, seed=5) as again:
            assert again.hash == u.hash


def test_pictures_of_volumes():
    with gosper.Universe("3D4,5/5", shape=(8, 9, 10), density=0.2, seed=1) as u:
        picture = u._picture(None, 50, 1024)
        assert picture.shape == (50, 50, 3) and len(np.unique(picture)) > 20
        box = (slice(2, 6), slice(0, 9), slice(1, 4))
        assert u.image(box, 50, yaw=10, pitch=-20, zoom=2, colour="depth").startswith(b"\x89PNG") and u._repr_png_().startswith(b"\x89PNG")
        flat = (3, slice(None), slice(None))
        assert np.array_equal(u._picture(flat, 10, 1024)[::8, ::8] > 0, u[3] > 0)
        film = u.film(3, largest=30, turn=20, colour="age")
        assert [picture.shape for picture in film.pictures] == [(30, 30, 3)] * 3 and b"acTL" in film.apng()
        for wrong, text in (
            (dict(yaw=400), "-360 to 360"), (dict(colour="red"), "want state, age, depth or position"), (dict(largest=9000), "1 to 8192"),
            (dict(window=flat, yaw=1), "yaw: only pictures of volumes"), (dict(window=(1, 2, 3, 4)), "layers, rows and columns"),
        ):  # fmt: skip
            with pytest.raises(gosper.InputError, match=text):
                u.image(**wrong)
    with gosper.Universe(shape=8) as u, pytest.raises(gosper.InputError, match="zoom: only pictures of volumes"):
        u.image(zoom=2)


@pytest.mark.parametrize(
    "given, text",
    [
        (dict(rule="3D4,5/5", shape=(8, 8)), "want a size like 64x64x64"),
        (dict(rule="B3/S23", shape=(8, 8, 8)), "has three dimensions and the rule has two"),
        (dict(rule="3D4,5/5"), "want a size like 64x64x64"),
        (dict(rule="3D4,5/5", shape=8, topology="klein"), "torus"),
        (dict(rule="3D4,5/5", shape=4, cells=np.zeros((4, 4), int)), "layers, rows and columns"),
        (dict(rule="B3/S23", cells=np.zeros((4, 4, 4), int)), "has three dimensions and the rule has two"),
        (dict(rule="B3/S23", shape=4, cells=np.zeros((4, 4, 4), int)), "rows and columns"),
        (dict(rule="3D4,5/5", shape=(1, 2, 3, 4)), "or three, layers, rows and columns"),
    ],
)
def test_wrong_volumes_are_refused(given, text):
    with pytest.raises(gosper.InputError, match=text) as error:
        gosper.Universe(**given)
    assert "\n" not in str(error.value)


def test_windows():
    with gosper.Universe("B3/S23", (20, 30)) as u:
        u[5, 6] = 1
        u[-1, -1] = 1
        u[2:4, 10:13] = [[1, 0, 1], [0, 1, 0]]
        u[:, 0] = np.arange(20) % 2
        u[10] = np.ones(30, bool)
        cells = u.cells
        assert u[5, 6] == 1 and cells[19, 29] == 1
        assert np.array_equal(u[2:4, 10:13], [[1, 0, 1], [0, 1, 0]])
        assert np.array_equal(u[11:, 0], np.arange(11, 20) % 2)
        assert u[10].shape == (30,) and u[10].all()
        assert u[4:4, :].shape == (0, 30)
        cells[0, 1] = 9  # the array is Python's own
        assert u[0, 1] == 0
        with pytest.raises(IndexError):
            u[20, 0]
        with pytest.raises(gosper.InputError, match=r"\[::2\]"):
            u[::2, :]
        for index in ("a", 1.5, None):
            with pytest.raises(gosper.InputError, match="whole numbers"):
                u[index]
        with pytest.raises(gosper.InputError, match="state 2"):
            u[0, 0] = 2
        with pytest.raises(gosper.InputError):
            u[0, 0] = 0.5


def test_unbounded():
    with gosper.Universe("B3/S23") as u:
        assert u.shape is None and u.population == 0
        u[-2:1, -1:2] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
        u.step(4 * 1000)
        rows, columns = u.extent
        assert (rows.start, columns.start, u.population) == (998, 999, 5)
        assert np.array_equal(u.cells, [[0, 1, 0], [0, 0, 1], [1, 1, 1]])


def test_patterns(tmp_path):
    with gosper.open("gosper-gun") as u:
        u.step(300)
        assert u.population > 36
        u.save(tmp_path / "gun.rle")
        u.checkpoint(tmp_path / "gun.ckpt")
        with gosper.open(tmp_path / "gun.rle") as again, gosper.resume(tmp_path / "gun.ckpt") as resumed:
            assert again.hash == resumed.hash == u.hash
            assert again.generation == resumed.generation == 300
        with pytest.raises(gosper.GosperError):
            u.save(tmp_path / "gun.rle")
        u.save(tmp_path / "gun.rle", force=True)
    with gosper.open("acorn") as u:
        step = u.step(10000, until="stable")
        assert step.reason == "stable" and 5206 <= step.generation < 10000
        assert step.period == 2 and step.lifespan == 5206
        assert u.census()["xq4_153"] == 13


def test_soup_is_the_command_lines(tmp_path):
    with gosper.Universe("B3/S23", (96, 200), density=0.3, seed=5, threads=1) as u:
        u.step(64)
        out = tmp_path / "soup.npy"
        subprocess.run(
            [gosper.binary(), "run", "--size", "200x96", "--density", "0.3", "--seed", "5", "-g", "64", "--out", out, "-q"], check=True
        )
        assert np.array_equal(u.cells, np.load(out))
        assert u.seed == 5 and "--seed 5" in u.command


def test_clusters():
    cells = np.zeros((8, 8), int)
    cells[0:2, 0:2] = 1
    cells[2, 2] = 1
    cells[5, :] = 1
    with gosper.Universe("B3/S23", cells=cells) as u:
        eight, four = u.clusters(), u.clusters(4)
        assert (eight.count, eight.largest, eight.cells, eight.span) == (2, 8, 13, "x")
        assert dict(zip(four.sizes.tolist(), four.numbers.tolist())) == {1: 1, 4: 1, 8: 1}


def test_copies_and_pickles_go_on_alike():
    with gosper.Universe("Ising~T=2.3", (32, 48), density=0.5, seed=5) as u:
        u.step(7)
        for other in (u.copy(), pickle.loads(pickle.dumps(u)), copy.deepcopy(u)):
            with other:
                assert other.generation == 7 and np.array_equal(other.cells, u.cells) and other.rule == u.rule
                before = np.asarray(u)
                other.step(20)
                assert np.array_equal(u.cells, before) and not np.array_equal(other.cells, before)
                with u.copy() as again:
                    again.step(20)
                    assert again.hash == other.hash
        assert np.asarray(u, dtype=np.float64).dtype == np.float64 and np.asarray(u).shape == (32, 48)


def test_errors_are_one_clear_line():
    for wrong in (dict(rule="nonsense"), dict(shape=(0, 5)), dict(seed=1), dict(shape=(4, 4), density=2), dict(engine="abacus")):
        with pytest.raises(gosper.GosperError) as error:
            gosper.Universe(**wrong)
        assert "\n" not in str(error.value)
    with pytest.raises(gosper.InputError):
        gosper.identify("no such pattern")


def test_a_crash_takes_only_its_own_process_along():
    with gosper.Universe() as alone:
        u, v = gosper.Universe(shape=(8, 8)), gosper.Universe("B36/S23", (9, 9), density=0.5, seed=1)
        assert u._process.host is v._process.host is not alone._process.host
        u._process.host.process.kill()
        for crashed in (u, v, u):
            for use in (crashed.step, lambda: crashed.population):
                with pytest.raises(gosper.Crashed, match="the universe's process has ended"):
                    use()
        assert alone.step(3).generation == 3
        with gosper.Universe(shape=(8, 8)) as later:
            assert later.step(3).generation == 3
        for crashed in (u, v):
            crashed.close()
            assert refused(crashed.step) == "the universe is closed"


def test_small_universes_share_a_process():
    universes = [gosper.Universe("B3/S23", (20, 20 + i), density=0.5, seed=i) for i in range(50)]
    universes += [u.copy() for u in universes[:3]]
    assert len({u._process.host for u in universes}) == 1
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda u: u.step(100), universes))
    for u in universes[::7]:
        with gosper.Universe("B3/S23", u.shape, density=0.5, seed=u.shape[1] - 20, engine="reference") as alone:
            alone.step(100)
            assert np.array_equal(u.cells, alone.cells)
    for u in universes[::2]:
        u.close()
    assert all(u.step().generation == 101 for u in universes[1::2])
    with gosper.Universe(shape=(1024, 1025)) as large, gosper.Universe(shape=101) as small:
        assert large._process.host is not small._process.host is universes[1]._process.host


def test_processes_are_those_of_a_folder_and_an_environment(tmp_path, monkeypatch):
    def rule(born):
        return f"@RULE mine\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:permute\n0,{born},0,0,0,0,0,0,0,1\n"

    with gosper.Universe(shape=(8, 8)) as before:
        for name, born, count in (("one", 1, 8), ("none", 0, 72)):
            (tmp_path / name).mkdir()
            (tmp_path / name / "mine.rule").write_text(rule(born))
            monkeypatch.chdir(tmp_path / name)
            with gosper.Universe("mine.rule", (9, 9), start="cell") as u:
                u.step()
                assert u.population - 1 == count and u._process.host is not before._process.host


def test_a_thread_that_waits_learns_of_the_end():
    for shape in (64, 2048):  # a shared process and an own one
        u = gosper.Universe("B2/S", shape, density=0.5, seed=1, engine="reference")
        told = []
        thread = threading.Thread(target=lambda: told.append(refused(lambda: u.step(10**12))))
        thread.start()
        while u._process.sent["request"] < 2:  # the step was sent
            time.sleep(0.001)
        u.close()
        thread.join(60)
        assert told == ["the universe is closed"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_says_whose_the_universe_is():
    with gosper.Universe(shape=(8, 8)) as u:
        child = os.fork()
        if child == 0:
            try:
                told = refused(u.step)
                u.close()
                with gosper.Universe(shape=(8, 8)) as own:
                    os._exit(0 if "fork" in told and own.step(2).generation == 2 else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert u.step(3).generation == 3


def test_close_has_a_number_after_all_requests():
    with gosper.Universe("B3/S23", (8, 8)), gosper.Universe("B3/S23", (8, 8)) as u:  # the other one keeps their process alive
        numbers = {}
        closing = threading.Thread(target=u.close)

        class Slow(type(u._process)):
            @property
            def _closed(self):  # another thread closes the universe just after this one has seen that it is open
                closed = self.__dict__["_closed"]
                if closing.ident is None:
                    closing.start()
                    closing.join(0.5)  # it may wait for this thread
                return closed

            @_closed.setter
            def _closed(self, closed):
                self.__dict__["_closed"] = closed

            def _request(self, method, params, later=0):
                request = super()._request(method, params, later)
                numbers[method] = request[2]
                return request

        u._process.__class__ = Slow
        try:
            u.population
        except gosper.InputError as error:
            assert str(error) == "the universe is closed"
        closing.join()
        assert numbers["population"] <= numbers["interrupt"] < numbers["close"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_fork_waits_for_no_thread_of_its_parent():
    with gosper.Universe("B3/S23", (8, 8)) as u:
        held, done = threading.Event(), threading.Event()

        def hold():
            with u._process._lock, u._process._order:
                held.set()
                done.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            try:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(20)  # ends the child if it waits
                u.close()
                u.step()
            except gosper.InputError as error:
                os._exit(0 if "a fork of" in str(error) else 1)
            finally:
                os._exit(2)
        _, status = os.waitpid(child, 0)
        done.set()
        thread.join()
        assert status == 0


def test_closed_universes_say_so():
    u = gosper.Universe(shape=(8, 8))
    u.close()
    u.close()
    for use in (u.step, lambda: u.cells, lambda: u.population, lambda: u.fill(0.5, 1)):
        with pytest.raises(gosper.InputError, match="the universe is closed"):
            use()


def test_generations_are_whole_numbers():
    with gosper.Universe(shape=(8, 8)) as u:
        for generations in (1.5, -1, "3", None, float("nan"), float("inf"), 10**30):
            with pytest.raises(gosper.InputError, match="a whole number from 0 to"):
                u.step(generations)
        assert u.generation == 0
        assert u.step(1e3).generation == 1000
        assert u.step(np.int64(3)).generation == 1003


def test_rules_of_files_stay_with_their_universes(tmp_path):
    table = "@RULE {}\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:permute\n{}"
    born = "".join(f"0,{','.join('1' * n + '0' * (8 - n))},1\n" for n in (1,))
    path = tmp_path / "mine.rule"
    path.write_text(table.format("mine", ""))
    cells = np.zeros((9, 9), np.uint8)
    cells[4, 4] = 1
    with gosper.Universe(path, cells=cells) as u:
        u.step(1)
        assert u.population == 1
        path.write_text(table.format("mine", born))
        with gosper.Universe(path, cells=cells) as v:
            v.step(1)
            assert v.population == 9
    other = tmp_path / "other.rule"
    other.write_text(table.format("HighLife", born))
    with gosper.Universe(other, cells=cells) as u, gosper.Universe("HighLife", cells=cells) as v:
        u.step(1), v.step(1)
        assert (u.population, v.population) == (9, 0)


def test_processes_end_with_their_universes(monkeypatch):
    monkeypatch.setenv("GOSPER_TEST", "a process that no other test uses")
    u, v = gosper.Universe(shape=(8, 8)), gosper.Universe(shape=(8, 8))
    process = u._process.host.process
    del u
    assert process.poll() is None and v.step(2).generation == 2
    del v
    assert process.wait(120) == 0


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("wait", [0, 0.001, 0.003, 0.01, 0.5])  # seconds: before the request is sent, while it is, and within the step
def test_ctrl_c_ends_a_step_between_generations(wait):
    script = """
import signal, sys, gosper
signal.signal(signal.SIGINT, signal.default_int_handler)  # a script in the background may have begun with Ctrl-C ignored
u = gosper.Universe("B2/S", (64, 64), density=0.5, seed=1, engine="reference")  # never repeats, so is never leapt over
print("begun", flush=True)
try:
    u.step(10**12)
except KeyboardInterrupt:
    pass
with gosper.Universe("B2/S", (64, 64), density=0.5, seed=1) as v:
    v.step(u.generation)
    print(v.hash == u.hash, u.step(1).reason)
"""
    env = dict(os.environ, PYTHONPATH=str(Path(gosper.__file__).parents[1]))
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True, env=env)
    assert child.stdout.readline() == "begun\n"
    time.sleep(wait)  # every place of it must work
    os.killpg(child.pid, signal.SIGINT)
    out, _ = child.communicate(timeout=300)
    assert child.returncode in (0, 1, -signal.SIGINT)
    if out:  # an interrupt before the step ends the script, which is Python's way
        assert out == "True target\n"


def test_step_leaves_other_threads_running():
    with gosper.Universe(shape=(256, 256), density=0.5, seed=1, engine="reference") as u:
        for _ in range(100):  # on a busy machine a step may end before this thread is given a processor
            ticks = 0
            thread = threading.Thread(target=lambda: u.step(30))
            thread.start()
            while thread.is_alive():
                ticks += 1
            if ticks > 1000:
                break
        assert ticks > 1000


def test_pictures():
    with gosper.Universe(shape=(600, 3000), density=0.5, seed=1) as u:
        assert u._repr_png_().startswith(b"\x89PNG")
    with gosper.open("glider") as u:
        film = u.film(5, every=4, window=(slice(0, 12), slice(0, 12)))
        assert len(film.pictures) == 5 and b"acTL" in film.apng() and "<img" in film._repr_html_()


def test_progress(capsys):
    with gosper.Universe(shape=(64, 64), density=0.5, seed=1, engine="reference") as u:
        u.step(2000, progress=True)
    assert u.generation == 2000


@pytest.mark.parametrize("rule", ["B2/S34H", "B4/S35L"])
@pytest.mark.parametrize("at", [0, 1])
def test_hexagons_and_triangles_are_drawn_as_the_program_draws_them(rule, at, tmp_path):
    picture, mine = tmp_path / "picture.png", tmp_path / "mine.png"
    crop = f"{at - 12},-12,{24 - at}x24"  # in the coordinates of pattern files, 0,0 is in the middle
    soup = ["--rule", rule, "--size", "24", "--density", "0.4", "--seed", "3", "-g", "0"]
    subprocess.run([gosper.binary(), "render", *soup, "--scale", "8", "--crop", crop, "--out", picture, "-q"], check=True)
    with gosper.Universe(rule, 24, density=0.4, seed=3) as u:
        mine.write_bytes(u.image((slice(None), slice(at, None))))
    with gosper.open(picture) as theirs, gosper.open(mine) as ours:
        assert np.array_equal(ours[:], theirs[:])
        assert ours.population > 1000
