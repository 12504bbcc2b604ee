import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, speedOf, type Kind } from "../objects";

const kind = (period: number, moves: [number, number]): Kind => ({ code: "xq4_153", name: "", class: "spaceship", period, moves, count: 1 });

test("velocities are written as people write them", () => {
  assert.equal(speedOf(kind(4, [1, 1])), "c/4 diagonal");
  assert.equal(speedOf(kind(4, [2, 0])), "c/2");
  assert.equal(speedOf(kind(5, [2, 0])), "2c/5");
  assert.equal(speedOf(kind(6, [2, 1])), "(2,1)c/6");
  assert.equal(speedOf(kind(12, [1, 1])), "c/12 diagonal");
  assert.equal(speedOf(kind(2, [0, 0])), "");
});

test("a kind has the name that says most", () => {
  assert.equal(nameOf({ ...kind(4, [1, 1]), name: "glider" }), "glider");
  assert.equal(nameOf(kind(4, [1, 1])), "xq4_153");
  assert.equal(nameOf({ ...kind(0, [0, 0]), code: "", class: "unstable" }), "unstable");
});
