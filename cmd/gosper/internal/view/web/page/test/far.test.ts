import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rect } from "../camera";
import { follow, type Places } from "../far";
import { meaningOf, palette, type Look } from "../look";

test("every active place is visited once, then again, whatever has moved a little", () => {
  const at: Places["at"] = [
    [0, 0, 64, 64, 9],
    [640, 0, 64, 64, 5],
    [0, 640, 128, 64, 3],
  ];
  const visited: Rect[] = [];
  assert.deepEqual([follow(at, visited), follow(at, visited)], [0, 1]);
  at[2]![0] += 32;
  at[1]![0] += 32; // still over the place where it was
  assert.deepEqual([follow(at, visited), follow(at, visited), follow(at, visited)], [2, 0, 1]);
  assert.equal(follow([], visited), -1);
});

test("the brightest level of a channel has the accent, no level is pale", () => {
  const look: Look = { paper: [1, 1, 1], ink: [0, 0, 0], accent: [1, 0, 0], beyond: [0, 0, 1], ages: true, grid: true, states: [] };
  const colours = palette(look, meaningOf({ density: true, channel: true }, 2));
  const of = (level: number, density: number) => [...colours.subarray(4 * 256 * (16 * level + density), 4 * 256 * (16 * level + density) + 3)];
  assert.deepEqual(of(15, 3), [255, 0, 0]);
  assert.deepEqual(of(0, 0), [255, 255, 255]);
  assert.ok(of(0, 15)[0]! > of(1, 15)[0]!);
});
