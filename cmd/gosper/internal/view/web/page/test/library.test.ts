import assert from "node:assert/strict";
import { test } from "node:test";
import { decades, linear, logarithmic } from "../axis";
import { found } from "../combo";

test("axes go from end to end, and back", () => {
  for (const axis of [linear(10, 1010), logarithmic(10, 1010, 1), logarithmic(10, 1010, 1e-6)]) {
    assert.equal(axis.share(10), 0);
    assert.ok(Math.abs(axis.share(1010) - 1) < 1e-12);
    for (const share of [0, 0.1, 0.5, 0.99, 1]) assert.ok(Math.abs(axis.share(axis.at(share)) - share) < 1e-9);
  }
  assert.ok(Math.abs(logarithmic(0, 1e6, 1).share(1e3) - 0.5) < 0.001, "half of the decades in half of the width");
  assert.equal(linear(5, 5).share(5), 0);
  assert.equal(logarithmic(5, 5, 1).share(5), 0);
  assert.deepEqual(decades(100, 5100, 1), [110, 200, 1100]);
});

test("a library is searched by all words, and beginnings come first", () => {
  const of = {
    all: () => ["Simkin glider gun", "glider", "gun of period 24", "lightweight spaceship"],
    name: (s: string) => s,
    words: (s: string) => (s === "glider" ? "glider spaceship c/4" : s),
  };
  assert.deepEqual(found(of, "gun"), ["gun of period 24", "Simkin glider gun"]);
  assert.deepEqual(found(of, "  GLIDER  gun"), ["Simkin glider gun"]);
  assert.deepEqual(found(of, "spaceship"), ["glider", "lightweight spaceship"]);
  assert.deepEqual(found(of, "period 3"), []);
  assert.equal(found(of, " ").length, 4);
});
