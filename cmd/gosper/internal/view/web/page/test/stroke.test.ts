import assert from "node:assert/strict";
import { test } from "node:test";
import { stateAt, type Frame } from "../frame";
import { Stroke } from "../stroke";

/** A frame of dead cells. */
function empty(): Frame {
  return { sequence: 1, generation: 0n, x: 0, y: 0, scale: 0, w: 32, h: 4, sampleBits: 1, density: false, channel: false, sampled: false, words: 1, bits: new Uint32Array(4) };
}

/** The state of a cell of the next frame. */
function next(stroke: Stroke, x: number, y: number, playing = false): number {
  const f = empty();
  stroke.lay(f, playing);
  return stateAt(f, x, y);
}

test("what is drawn lies over frames until the server has written it, however long that takes", () => {
  const sent: number[][] = [];
  const stroke = new Stroke((state, cells) => sent.push([state, ...cells]) > 0);
  stroke.add(1, 1, empty());
  assert.equal(next(stroke, 1, 1), 1);
  stroke.end(empty());
  stroke.add(2, 1, empty());
  stroke.end(empty());
  assert.deepEqual(sent, [
    [1, 1, 1],
    [1, 2, 1],
  ]);
  assert.deepEqual([next(stroke, 1, 1), next(stroke, 2, 1)], [1, 1]);
  assert.equal(next(stroke, 1, 1, true), 0, "what plays has gone on");
  stroke.written(1);
  assert.deepEqual([next(stroke, 1, 1), next(stroke, 2, 1), stroke.waits], [0, 1, true]);
  stroke.written(3); // others draw, too
  assert.deepEqual([next(stroke, 2, 1), stroke.waits], [0, false]);
});

test("what could not be sent, or will not be written, is not drawn", () => {
  let open = true;
  const stroke = new Stroke(() => open);
  stroke.add(1, 1, empty());
  stroke.end(empty());
  stroke.forget();
  assert.deepEqual([next(stroke, 1, 1), stroke.waits], [0, false]);
  open = false;
  stroke.add(1, 1, empty());
  assert.equal(stroke.end(empty()), false);
  assert.deepEqual([next(stroke, 1, 1), stroke.waits], [0, false]);
});
