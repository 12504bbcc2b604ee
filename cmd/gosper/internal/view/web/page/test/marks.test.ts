import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../link";
import { Marks, type Store } from "../marks";

/** A universe at a generation. */
function universe(change: Partial<Status>): Status {
  return { loaded: "1", generation: "0", width: 0, height: 0, name: "", builtin: "", soup: null, ...change } as Status;
}

function storage(): Store {
  const texts = new Map<string, string>();
  return { getItem: (name) => texts.get(name) ?? null, setItem: (name, text) => void texts.set(name, text) };
}

const at = { x: 1, y: 2, zoom: 4 };
const generations = (m: Marks, s: Status) => m.of(s).map((mark) => mark.generation);

test("a mark is set, found in order and taken away", () => {
  const m = new Marks("", storage());
  const acorn = { name: "acorn", builtin: "acorn" };
  for (const generation of ["1000", "20", "20000000000000000000"]) m.flip(universe({ ...acorn, generation }), at);
  assert.deepEqual(generations(m, universe(acorn)), ["20", "1000", "20000000000000000000"]);
  assert.deepEqual(m.of(universe(acorn))[0]!.at, at);
  m.flip(universe({ ...acorn, generation: "1000" }), at);
  assert.deepEqual(generations(m, universe(acorn)), ["20", "20000000000000000000"]);
  assert.deepEqual(generations(m, universe({ ...acorn, name: "acorn, edited" })), ["20", "20000000000000000000"]);
  assert.deepEqual(generations(m, universe({ name: "gun", builtin: "gun" })), []);
});

test("marks of soups, known patterns and sessions outlast the page", () => {
  const store = storage();
  const soup = { width: 64, height: 64, soup: { width: 64, height: 64, seed: "7", density: 0.5, start: "soup", cells: "" } };
  new Marks("", store).flip(universe({ ...soup, generation: "5" }), at);
  new Marks("ants", store).flip(universe({ generation: "6" }), at);
  assert.deepEqual(generations(new Marks("", store), universe({ ...soup, loaded: "9" })), ["5"]);
  assert.deepEqual(generations(new Marks("", store), universe({ ...soup, soup: { ...soup.soup, seed: "8" } })), []);
  assert.deepEqual(generations(new Marks("ants", store), universe({ loaded: "1" })), ["6"]);
  assert.deepEqual(generations(new Marks("bees", store), universe({})), []);
});

test("patterns without a name are told by what the server calls them", () => {
  const store = storage();
  const m = new Marks("", store);
  m.flip(universe({ universe: "a.2", generation: "3" }), at);
  assert.deepEqual(generations(m, universe({ universe: "a.2" })), ["3"]);
  assert.deepEqual(generations(m, universe({ universe: "a.3" })), []);
  assert.deepEqual(generations(m, universe({ universe: "b.2" })), []);
  assert.deepEqual(generations(new Marks("", store), universe({ universe: "a.2" })), []);
});

test("what cannot be read is no mark, and only so many universes are remembered", () => {
  const store = storage();
  store.setItem("marks", "{");
  const m = new Marks("", store);
  assert.deepEqual(generations(m, universe({ builtin: "a", name: "a" })), []);
  for (let i = 0; i < 60; i++) m.flip(universe({ builtin: "a", name: `a${i}`, generation: "1" }), at);
  assert.deepEqual(generations(m, universe({ builtin: "a", name: "a9" })), []);
  assert.deepEqual(generations(m, universe({ builtin: "a", name: "a59" })), ["1"]);
});
