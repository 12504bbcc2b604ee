// Fingers, mouse and wheel on the picture: move, zoom, draw.

import type { Camera } from "./camera";

export interface Hand {
  camera: Camera;
  /** Whether the pointer does something to cells rather than move the view. */
  drawing(): boolean;
  /** The pointer goes down on a cell to draw or select; false: not now. */
  begin(x: number, y: number): boolean;
  line(x0: number, y0: number, x1: number, y1: number): void;
  end(): void;
  cancel(): void; // the stroke was none
  hover(x: number, y: number): void; // the pointer is over a cell
  twice?(x: number, y: number, more: boolean): void; // a double click, with Shift for more
  click?(x: number, y: number): void; // the pointer went up where it went down, and draws nothing
  moved(): void; // the camera has a new target or place
  takesWheel?(e: WheelEvent): boolean; // else the wheel scrolls the page
}

interface Touch {
  x: number; // device pixels of the picture
  y: number;
}

const clickSlack = 4; // CSS pixels that a click may move

/** Connects the element that shows the picture to a hand. */
export function follow(stage: HTMLElement, hand: Hand): void {
  const touches = new Map<number, Touch>();
  let stroke: { id: number; x: number; y: number } | null = null;
  let still: Touch | null = null; // where the only pointer went down; null: it has moved since

  const place = (e: { clientX: number; clientY: number }): Touch => {
    const box = stage.getBoundingClientRect();
    const scale = hand.camera.width / box.width;
    return { x: (e.clientX - box.left) * scale, y: (e.clientY - box.top) * scale };
  };
  const cell = (t: Touch): [number, number] => hand.camera.cellUnder(t.x, t.y);
  const finish = () => {
    if (stroke) hand.end();
    stroke = null;
  };

  stage.addEventListener("pointerdown", (e) => {
    if (e.pointerType === "mouse" && e.button > 1) return;
    stage.setPointerCapture(e.pointerId);
    const t = place(e);
    touches.set(e.pointerId, t);
    still = touches.size === 1 ? t : null;
    if (touches.size > 1) {
      if (stroke) hand.cancel(); // the second finger makes it a pinch
      stroke = null;
    } else if (hand.drawing() && e.button === 0) {
      const [x, y] = cell(t);
      if (hand.begin(x, y)) stroke = { id: e.pointerId, x, y };
    }
    stage.classList.toggle("dragging", !stroke);
  });

  stage.addEventListener("pointermove", (e) => {
    const before = touches.get(e.pointerId);
    hand.hover(...cell(place(e)));
    if (!before) return;
    const now = place(e);
    if (still && Math.hypot(now.x - still.x, now.y - still.y) > clickSlack * devicePixelRatio) still = null;
    if (stroke?.id === e.pointerId) {
      const [x, y] = cell(now);
      if (x !== stroke.x || y !== stroke.y) hand.line(stroke.x, stroke.y, x, y);
      stroke = { id: e.pointerId, x, y };
    } else if (touches.size === 1) {
      hand.camera.pan(now.x - before.x, now.y - before.y);
      hand.moved();
    } else if (touches.size === 2) {
      const other = [...touches].find(([id]) => id !== e.pointerId)![1];
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const is = Math.hypot(now.x - other.x, now.y - other.y);
      const [px, py] = [(now.x + other.x) / 2, (now.y + other.y) / 2];
      hand.camera.pinch(is / Math.max(was, 1), px, py, (now.x - before.x) / 2, (now.y - before.y) / 2);
      hand.moved();
    }
    touches.set(e.pointerId, now);
  });

  const up = (e: PointerEvent) => {
    touches.delete(e.pointerId);
    if (e.type === "pointerup" && still && !stroke) hand.click?.(...cell(still));
    still = null;
    if (stroke?.id === e.pointerId) finish();
    if (touches.size === 0) stage.classList.remove("dragging");
  };
  stage.addEventListener("pointerup", up);
  stage.addEventListener("pointercancel", up);

  stage.addEventListener("dblclick", (e) => hand.twice?.(...cell(place(e)), e.shiftKey));

  stage.addEventListener(
    "wheel",
    (e) => {
      if (hand.takesWheel && !hand.takesWheel(e)) return;
      e.preventDefault();
      const t = place(e);
      const lines = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : e.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 240 : 1;
      // A pinch on a touch pad comes as a wheel with Ctrl and small steps.
      const speed = e.ctrlKey ? 0.01 : 0.0022;
      hand.camera.zoomBy(Math.exp(-e.deltaY * lines * speed), t.x, t.y);
      hand.moved();
    },
    { passive: false },
  );
  stage.addEventListener("contextmenu", (e) => e.preventDefault());
}

/** Calls at for every cell of a straight line (Bresenham 1965), its first cell left out. */
export function cellsOfLine(x0: number, y0: number, x1: number, y1: number, at: (x: number, y: number) => void): void {
  const dx = Math.abs(x1 - x0);
  const dy = -Math.abs(y1 - y0);
  const sx = x0 < x1 ? 1 : -1;
  const sy = y0 < y1 ? 1 : -1;
  let error = dx + dy;
  while (x0 !== x1 || y0 !== y1) {
    const twice = 2 * error;
    if (twice >= dy) {
      error += dy;
      x0 += sx;
    }
    if (twice <= dx) {
      error += dx;
      y0 += sy;
    }
    at(x0, y0);
  }
}
