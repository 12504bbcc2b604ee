import assert from "node:assert/strict";
import { test } from "node:test";
import { Sharpness } from "../sharpness";

/** Draws pictures one after the other, each of which takes as long as cost says; returns the shares of their pixels. */
function shares(s: Sharpness, from: number, pictures: number, cost: (share: number) => number): { now: number; all: number[] } {
  const all: number[] = [];
  let now = from;
  for (let i = 0; i < pictures; i++) {
    s.turn(now);
    const share = s.paint();
    all.push(share);
    now += cost(share);
  }
  s.turn(now);
  return { now, all };
}

test("a quick card draws all pixels", () => {
  const s = new Sharpness();
  assert.deepEqual(shares(s, 1000, 20, () => 17).all, Array(20).fill(1));
  assert.equal(s.coarse, false);
});

test("a slow card draws fewer while something moves, and all when it rests", () => {
  const s = new Sharpness();
  const { now, all } = shares(s, 1000, 40, (share) => Math.max(100 * share * share, 17));
  assert.equal(all[0], 1);
  assert.ok(Math.max(...all.slice(2)) <= 0.75, String(all));
  assert.ok(all.slice(2).every((share) => 100 * share * share < 57), String(all));
  assert.equal(s.coarse, true);
  assert.equal(s.rests, false);
  s.turn(now + 249);
  assert.equal(s.rests, false);
  s.turn(now + 250);
  assert.equal(s.rests, true);
  s.turn(now + 2000, true);
  assert.equal(s.rests, false);
  s.turn(now + 2250);
  assert.equal(s.paint(), 1);
  assert.equal(s.coarse, false);
});

test("a card that is quick again draws all pixels again", () => {
  const s = new Sharpness();
  const { now, all } = shares(s, 0, 10, () => 1000);
  assert.equal(all.at(-1), 0.25);
  assert.equal(shares(s, now, 40, () => 17).all.at(-1), 1);
});
