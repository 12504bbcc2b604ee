import assert from "node:assert/strict";
import { test } from "node:test";
import { Camera, scaleFor } from "../camera";
import { filmOf, regionFor } from "../viewport";

function camera(width = 800, height = 600): Camera {
  const c = new Camera();
  [c.width, c.height] = [width, height];
  return c;
}

/** Lets the camera come to rest. */
function rest(c: Camera): void {
  for (let i = 0; i < 1000 && c.advance(16); i++);
  assert.equal(c.advance(16), false, "the camera never rests");
}

test("what grows is kept in view without a change for every frame", () => {
  const c = camera(1000, 1000);
  const room = [50, 50, 0, 200] as const;
  let moves = 0;
  for (let side = 10; side < 10_000; side++) {
    const box = { x: -side, y: -side, w: 2 * side, h: 2 * side };
    if (c.holds(box, ...room)) continue;
    const before = c.destination().zoom;
    c.fit(box, ...room, true, true);
    assert.ok(c.holds(box, ...room), `${side} cells are not in view after a fit`);
    assert.ok(c.now.zoom <= before, "it came nearer");
    moves++;
  }
  assert.ok(moves < 40, `${moves} moves`);
});

test("a view follows cells that are counted from another corner", () => {
  const c = camera();
  c.goTo({ x: 3, y: 4, zoom: 8 }, true);
  c.zoomBy(2, 10, 10); // is on its way
  const [x, y] = c.cellAt(10, 10);
  c.shift(100, -7);
  rest(c);
  const [x1, y1] = c.cellAt(10, 10);
  assert.ok(Math.hypot(x1 - x - 100, y1 - y + 7) < 1e-3, `${x1}, ${y1}`);
});

test("zooming keeps the point under the pointer", () => {
  for (const factor of [0.01, 0.5, 3, 20]) {
    const c = camera();
    c.goTo({ x: 1000, y: -50, zoom: 2 }, true);
    const [x, y] = c.cellAt(123, 456);
    c.zoomBy(factor, 123, 456);
    rest(c);
    const [x1, y1] = c.cellAt(123, 456);
    assert.equal(c.now.zoom, 2 * factor);
    assert.ok(Math.hypot(x1 - x, y1 - y) * c.now.zoom < 1e-3, `moved to ${x1}, ${y1}`);
  }
});

test("panning sticks to the finger", () => {
  const c = camera();
  c.goTo({ x: 5, y: 5, zoom: 8 }, true);
  const before = c.cellAt(100, 100);
  c.pan(30, -40);
  assert.deepEqual(c.cellAt(130, 60), before);
});

test("two fingers hold two points", () => {
  const c = camera();
  c.goTo({ x: 0, y: 0, zoom: 4 }, true);
  const [x, y] = c.cellAt(300, 200);
  c.pinch(2, 310, 220, 10, 20);
  const [x1, y1] = c.cellAt(310, 220);
  assert.ok(Math.hypot(x1 - x, y1 - y) < 1e-9);
  assert.equal(c.now.zoom, 8);
});

test("fit shows all of a rectangle between the controls", () => {
  for (const r of [{ x: 0, y: 0, w: 1024, h: 1024 }, { x: -5000, y: 99, w: 3, h: 1 }, { x: 7, y: 7, w: 1e6, h: 10 }]) {
    const c = camera();
    c.fit(r, 60, 70, 0, 300, true);
    const v = c.visible();
    const { zoom } = c.now;
    assert.ok((r.x - v.x) * zoom >= 0 && (r.x + r.w - v.x) * zoom <= 500, "beside the panel");
    assert.ok((r.y - v.y) * zoom >= 60 && (r.y + r.h - v.y) * zoom <= 530, "between the bars");
    assert.ok(zoom < 4 || Number.isInteger(zoom), "cells are whole pixels");
  }
});

test("scales give samples of a device pixel or more", () => {
  for (const [zoom, scale] of [[24, 0], [1, 0], [0.99, 1], [0.5, 1], [0.49, 2], [2 ** -20, 20]] as const) assert.equal(scaleFor(zoom), scale);
});

test("a region covers what is seen, within the universe, and serves while it does", () => {
  const universe = { x: 0, y: 0, w: 5000, h: 3000 };
  for (const bounds of [universe, null]) {
    for (let zoom = 64; zoom > 1e-4; zoom /= 3) {
      const c = camera();
      c.goTo({ x: 2000, y: 1000, zoom }, true);
      const r = regionFor(c, bounds, null);
      const unit = 2 ** r.scale;
      const v = c.visible();
      const seen = (lo: number, hi: number, from: number, to: number) => [Math.max(lo, from), Math.min(hi, to)];
      const [left, right] = bounds ? seen(v.x, v.x + v.w, 0, bounds.w) : [v.x, v.x + v.w];
      assert.ok(r.x <= left! && r.x + r.w * unit >= right!, `zoom ${zoom}: ${JSON.stringify(r)}`);
      assert.ok(r.w * r.h <= 1 << 22 && r.x % unit === 0 && r.y % unit === 0);
      c.pan(3, 3);
      assert.equal(regionFor(c, bounds, r), r, "a small move asks for another region");
    }
  }
});

test("a film has whole cells or blocks and at most 480 pixels", () => {
  for (let zoom = 90; zoom > 1e-3; zoom /= 2.7) {
    const c = camera(1280, 800);
    c.goTo({ x: 33.3, y: -7, zoom }, true);
    for (const bounds of [null, { x: 0, y: -40, w: 70, h: 50 }]) {
      const f = filmOf(c, bounds, 480);
      assert.ok(Math.max(f.w, f.h) * f.pixels <= 481 && f.pixels >= 1 && f.w >= 1 && f.h >= 1, JSON.stringify(f));
      assert.ok(f.x % 2 ** f.scale === 0 && f.y % 2 ** f.scale === 0);
    }
  }
});

test("what has shrunk gets a nearer view", () => {
  const c = camera(1000, 1000);
  const room = [50, 50, 0, 200] as const;
  c.fit({ x: 0, y: 0, w: 4000, h: 4000 }, ...room, true, true);
  const far = c.now.zoom;
  const box = { x: 1000, y: 1000, w: 100, h: 100 };
  assert.ok(c.holds(box, ...room) && c.dwarfs(box, ...room));
  c.fit(box, ...room, true, false);
  assert.ok(c.now.zoom > 10 * far && c.holds(box, ...room) && !c.dwarfs(box, ...room));
});

test("a turned view shows the cells that lie there", () => {
  const c = camera(800, 600);
  c.goTo({ x: 10, y: 20, zoom: 8 }, true);
  c.angle = 90; // what lies to the right goes down
  const [x, y] = c.cellAt(400, 300 + 8);
  assert.ok(Math.abs(x - 11) < 1e-9 && Math.abs(y - 20) < 1e-9, `${x}, ${y}`);
  const { w, h } = c.visible();
  assert.ok(Math.abs(w - 75) < 1e-9 && Math.abs(h - 100) < 1e-9, `${w} × ${h}`);
  const view = c.visible();
  const [a, b, d, e, f, g] = c.flat;
  const [px, py] = [(11 - view.x) * 8, (20 - view.y) * 8];
  assert.ok(Math.abs(a * px + d * py + f - 400) < 1e-9 && Math.abs(b * px + e * py + g - 308) < 1e-9);
});
