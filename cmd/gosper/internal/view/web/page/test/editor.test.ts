import assert from "node:assert/strict";
import { test } from "node:test";
import { between, Editor, measure, union, within } from "../editor";
import { decodeFrame, setState, stateAt } from "../frame";
import { grouped, short } from "../numbers";
import { cellsOfLine } from "../pointer";
import { Asked, nextRung, rungOf, speedOf } from "../speed";

test("a rectangle is the same from all its corners", () => {
  const want = { x: -2, y: 3, w: 5, h: 4 };
  for (const [a, b] of [[[-2, 3], [2, 6]], [[2, 6], [-2, 3]], [[-2, 6], [2, 3]]] as [[number, number], [number, number]][]) assert.deepEqual(between(a, b), want);
  assert.deepEqual(within(want, { x: 0, y: 0, w: 100, h: 5 }), { x: 0, y: 3, w: 3, h: 2 });
  assert.equal(within(want, { x: 10, y: 0, w: 100, h: 5 }), null);
});

test("the ruler says columns, rows and the straight line", () => {
  assert.equal(measure([10, 20], [13, 16]), "+3, −4 · 5.0");
  assert.equal(measure([0, 0], [-1234, 0]), `−${grouped(1234)}, +0 · 1234.0`);
});

test("a selection is stretched from the corner it began at, and added to", () => {
  const e = new Editor();
  e.tool = "select";
  const all = { x: 0, y: 0, w: 100, h: 100 };
  for (const [dx, dy] of [[0, 1], [1, 0], [1, 0], [0, -1], [0, -1]] as [number, number][]) e.stretch(dx, dy, [50, 60], all);
  assert.deepEqual(e.selection, { x: 50, y: 58, w: 3, h: 3 });
  e.stretch(-1, 0, [0, 0], all);
  e.stretch(-1, 0, [0, 0], all);
  e.stretch(-1, 0, [0, 0], all);
  assert.deepEqual(e.selection, { x: 49, y: 58, w: 2, h: 3 });
  assert.deepEqual(union({ x: 0, y: 5, w: 2, h: 2 }, { x: -3, y: 6, w: 1, h: 9 }), { x: -3, y: 5, w: 5, h: 10 });
  e.tool = "measure";
  e.stretch(5, 0, [1, 1], null);
  assert.deepEqual(e.ruler, [[1, 1], [6, 1]]);
});

test("what floats is dragged, and put down by a click", () => {
  const e = new Editor();
  e.take({ w: 4, h: 2, text: "", cells: new Uint8Array(8) });
  e.selection = { x: 10, y: 20, w: 1, h: 1 };
  e.float({} as never);
  assert.deepEqual(e.floating, { x: 10, y: 20 });
  e.begin(0, 0);
  e.drag(3, -1, null);
  e.drag(5, -1, null);
  assert.deepEqual(e.floating, { x: 15, y: 19 });
  assert.equal(e.end(), false, "a drag is no click");
  e.begin(0, 0);
  assert.equal(e.end(), true);
  e.take({ w: 2, h: 4, text: "", cells: new Uint8Array(8) });
  assert.deepEqual(e.floating, { x: 16, y: 18 }, "turned around its middle");
  assert.deepEqual([e.nextMode(), e.nextMode(), e.nextMode()], ["xor", "replace", "or"]);
});

test("frames are read and written cell by cell", () => {
  for (const bits of [1, 2, 4, 8]) {
    const [w, h] = [45, 3];
    const words = Math.ceil((w * bits) / 32);
    const message = new ArrayBuffer(40 + 4 * words * h);
    const v = new DataView(message);
    v.setUint8(0, 1);
    v.setUint8(1, bits);
    v.setBigInt64(8, -7n, true);
    v.setUint32(24, w, true);
    v.setUint32(28, h, true);
    const f = decodeFrame(message)!;
    const top = 2 ** bits - 1;
    for (let x = 0; x < w; x++) setState(f, x - 7, 1, x % (top + 1));
    for (let x = 0; x < w; x++) assert.equal(stateAt(f, x - 7, 1), x % (top + 1));
    assert.equal(stateAt(f, -8, 1), 0);
    assert.equal(decodeFrame(message.slice(1)), null);
  }
});

test("frames are made of the frame before and changes", () => {
  const message = new Uint8Array(40 + 300);
  message[0] = 1;
  message[1] = 8;
  new DataView(message.buffer).setUint32(24, 300, true);
  new DataView(message.buffer).setUint32(28, 1, true);
  const before = decodeFrame(message.buffer)!;
  before.bits[70] = 5;
  const changes = Uint8Array.from([...message.subarray(0, 40), 2, 1, 9, 0x95, 0x02, 2, 4, 7]);
  changes[3] = 8;
  assert.equal(decodeFrame(changes.buffer), null, "there is none before");
  const after = decodeFrame(changes.buffer, before.bits)!;
  const alive = Array.from({ length: 300 }, (_, x) => [x, stateAt(after, x, 0)]).filter(([, state]) => state);
  assert.deepEqual(alive, [[2, 9], [280, 1], [281, 7]]);
  assert.equal(stateAt(before, 2, 0), 0, "the frame before stays as it is");
});

test("a line has no gaps", () => {
  for (const [x, y] of [[9, 4], [-3, 8], [0, -5], [6, 6]] as const) {
    let [px, py, n] = [0, 0, 0];
    cellsOfLine(0, 0, x, y, (cx, cy) => {
      assert.ok(Math.max(Math.abs(cx - px), Math.abs(cy - py)) === 1);
      [px, py, n] = [cx, cy, n + 1];
    });
    assert.deepEqual([px, py, n], [x, y, Math.max(Math.abs(x), Math.abs(y))]);
  }
});

test("a speed that was asked for lasts until the server has it, or does not take it", () => {
  const asked = new Asked();
  const laid = (s: { step: string; perSecond: number }, now: number) => (asked.lay(s, now), rungOf(s));
  assert.equal(laid(speedOf(0), 0), 0);
  asked.ask(speedOf(1), 0);
  asked.ask(speedOf(2), 10);
  assert.equal(laid(speedOf(0), 20), 2); // from before both
  assert.equal(laid(speedOf(1), 30), 2);
  assert.equal(laid(speedOf(2), 40), 2);
  assert.equal(laid(speedOf(5), 50), 5); // somebody else's
  asked.ask(speedOf(6), 100);
  assert.equal(laid(speedOf(5), 5000), 6);
  assert.equal(laid(speedOf(5), 5200), 5); // refused
});

test("the rungs of the ladder of speeds", () => {
  for (let rung = -5; rung <= 25; rung++) assert.equal(rungOf(speedOf(rung)), rung);
  const press = (rung: number, by: number, times: number) => {
    for (let i = 0; i < times; i++) rung = nextRung(speedOf(rung), by);
    return rung;
  };
  assert.equal(press(0, 1, 5), 9, "five presses must not run away");
  assert.equal(press(25, -1, 7), 0, "from full speed to 30 a second");
  assert.equal(press(0, 1, 7), 25, "and back");
  assert.equal(press(5, 1, 1), 6, "from between two levels");
  assert.equal(press(5, -1, 1), 3);
  assert.equal(press(-5, -1, 3), -5);
  assert.equal(press(25, 1, 3), 25);
});

test("numbers as people read them", () => {
  assert.deepEqual([grouped(1234567), grouped("12"), short(2.45e9), short(7), short(0.5)], ["1\u2009234\u2009567", "12", "2.45\u2009G", "7", "0.50"]);
});
