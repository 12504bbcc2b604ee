// The editor: what is selected, what floats before it is pasted, and how both look. The server changes the cells.

import type { Camera, Rect } from "./camera";
import { drawGrid } from "./grid";
import type { Look } from "./look";
import { grouped } from "./numbers";

/** The tools of the pointer. */
export type Tool = "move" | "draw" | "select" | "measure";

/** A cell, by column and row. */
export type Cell = [number, number];

/** Cells that have been copied. */
export interface Clip {
  w: number;
  h: number;
  text: string; // RLE
  cells: Uint8Array; // states, row after row; empty: too many to be shown
}

export type PasteMode = "or" | "xor" | "replace";
const modes: PasteMode[] = ["or", "xor", "replace"];

export class Editor {
  tool: Tool = "move";
  selection: Rect | null = null;
  clip: Clip | null = null;
  /** Where the clip floats; null: it does not. */
  floating: { x: number; y: number } | null = null;
  mode: PasteMode = "or";
  /** The cells between which the ruler lies. */
  ruler: [Cell, Cell] | null = null;
  private corner: Cell = [0, 0]; // where the pointer went down
  private grabbed: { x: number; y: number; moved: boolean } | null = null;

  /** The pointer goes down to select, or to move what floats. */
  begin(x: number, y: number): void {
    if (this.floating) this.grabbed = { x, y, moved: false };
    else if (this.tool === "measure") this.ruler = [[x, y], [x, y]];
    else {
      this.corner = [x, y];
      this.selection = { x, y, w: 1, h: 1 };
    }
  }

  drag(x: number, y: number, universe: Rect | null): void {
    if (this.floating && this.grabbed) {
      this.nudge(x - this.grabbed.x, y - this.grabbed.y);
      this.grabbed = { x, y, moved: true };
    } else if (this.floating) return;
    else if (this.tool === "measure") this.ruler![1] = [x, y];
    else this.selection = within(between(this.corner, [x, y]), universe);
  }

  /** The pointer goes up; returns whether what floats is to be put down: it was clicked. */
  end(): boolean {
    const clicked = this.grabbed !== null && !this.grabbed.moved;
    this.grabbed = null;
    return clicked && this.floating !== null;
  }

  /** Moves the last corner of the selection, or the end of the ruler, which begin at a cell. */
  stretch(dx: number, dy: number, from: Cell, universe: Rect | null): void {
    if (this.tool === "measure") {
      this.ruler ??= [from, from];
      const [x, y] = this.ruler[1];
      this.ruler[1] = [x + dx, y + dy];
      return;
    }
    const s = this.selection;
    if (!s) this.corner = from;
    else if (!isCorner(s, this.corner)) this.corner = [s.x, s.y];
    const [cx, cy] = this.corner;
    const [x, y] = s ? [cx === s.x ? s.x + s.w - 1 : s.x, cy === s.y ? s.y + s.h - 1 : s.y] : from;
    this.selection = within(between(this.corner, s ? [x + dx, y + dy] : from), universe) ?? s;
  }

  /** Moves all that lies over the cells: their numbers are others now. */
  shift(dx: number, dy: number): void {
    this.nudge(dx, dy);
    const s = this.selection;
    if (s) this.selection = { ...s, x: s.x + dx, y: s.y + dy };
    this.corner = [this.corner[0] + dx, this.corner[1] + dy];
    this.ruler = this.ruler && (this.ruler.map(([x, y]) => [x + dx, y + dy]) as [Cell, Cell]);
  }

  nudge(dx: number, dy: number): void {
    if (this.floating) this.floating = { x: this.floating.x + dx, y: this.floating.y + dy };
  }

  /** Lets the clip float in the middle of the view, or where the selection is. */
  float(camera: Camera): void {
    if (!this.clip) return;
    const s = this.selection;
    this.floating = s ? { x: s.x, y: s.y } : { x: Math.round(camera.now.x - this.clip.w / 2), y: Math.round(camera.now.y - this.clip.h / 2) };
  }

  /** Takes another clip, turned perhaps; its middle stays where it floats. */
  take(clip: Clip): void {
    if (this.floating && this.clip) this.nudge(Math.trunc((this.clip.w - clip.w) / 2), Math.trunc((this.clip.h - clip.h) / 2));
    this.clip = clip;
  }

  nextMode(): PasteMode {
    return (this.mode = modes[(modes.indexOf(this.mode) + 1) % modes.length]!);
  }

  /** Whether there is anything to draw over the picture. */
  get shows(): boolean {
    return this.selection !== null || this.ruler !== null || this.floating !== null;
  }

  /** Draws the grid, the selection, the ruler and what floats over the picture. */
  paint(canvas: HTMLCanvasElement, camera: Camera, look: Look, universe: Rect | null, colours: (state: number) => string): void {
    const c = canvas.getContext("2d")!;
    if (canvas.width !== camera.width || canvas.height !== camera.height) [canvas.width, canvas.height] = [camera.width, camera.height];
    c.resetTransform();
    c.clearRect(0, 0, canvas.width, canvas.height);
    drawGrid(c, camera, look, universe);
    const { zoom } = camera.now;
    const view = camera.visible();
    c.setTransform(...camera.flat);
    const place = (r: Rect): [number, number, number, number] => [(r.x - view.x) * zoom, (r.y - view.y) * zoom, r.w * zoom, r.h * zoom];
    const accent = `rgb(${look.accent.map((v) => 255 * v).join(" ")}`;
    const outline = (r: Rect, dashed: boolean) => {
      c.fillStyle = `${accent} / 0.1)`;
      c.strokeStyle = `${accent})`;
      c.lineWidth = Math.max(devicePixelRatio, 1) * 1.5;
      c.setLineDash(dashed ? [6 * devicePixelRatio, 4 * devicePixelRatio] : []);
      c.fillRect(...place(r));
      c.strokeRect(...place(r));
    };
    if (this.selection) outline(this.selection, false);
    if (this.ruler) {
      const middles = this.ruler.map(([x, y]): Cell => [(x + 0.5 - view.x) * zoom, (y + 0.5 - view.y) * zoom]) as [Cell, Cell];
      for (const [x, y] of this.ruler) outline({ x, y, w: 1, h: 1 }, false);
      c.beginPath();
      c.moveTo(...middles[0]);
      c.lineTo(...middles[1]);
      c.stroke();
      const at = c.getTransform().transformPoint({ x: middles[1][0], y: middles[1][1] });
      c.resetTransform();
      label(c, measure(...this.ruler), [at.x, at.y], look);
      c.setTransform(...camera.flat);
    }
    const { clip, floating: at } = this;
    if (!clip || !at) return;
    if (clip.cells.length > 0) {
      const side = Math.max(zoom, 1);
      for (let y = 0, i = 0; y < clip.h; y++) {
        for (let x = 0; x < clip.w; x++, i++) {
          const state = clip.cells[i]!;
          if (state === 0) continue;
          c.fillStyle = colours(state);
          c.fillRect((at.x + x - view.x) * zoom, (at.y + y - view.y) * zoom, side, side);
        }
      }
    }
    outline({ ...at, w: clip.w, h: clip.h }, true);
  }
}

/** The text of the ruler: how far apart two cells are in columns, in rows, and in a straight line. */
export function measure([x0, y0]: Cell, [x1, y1]: Cell): string {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const signed = (n: number) => (n < 0 ? "−" : "+") + grouped(Math.abs(n));
  return `${signed(dx)}, ${signed(dy)} · ${Math.hypot(dx, dy).toFixed(1)}`;
}

/** Writes beside a point, on paper. */
function label(c: CanvasRenderingContext2D, text: string, [x, y]: Cell, look: Look): void {
  const unit = devicePixelRatio;
  const css = (rgb: readonly number[]) => `rgb(${rgb.map((v) => 255 * v).join(" ")})`;
  c.font = `${13 * unit}px system-ui, sans-serif`;
  const [w, h] = [c.measureText(text).width + 12 * unit, 22 * unit];
  const left = Math.min(Math.max(x + 12 * unit, 0), c.canvas.width - w);
  const top = Math.min(Math.max(y - h - 8 * unit, 0), c.canvas.height - h);
  c.fillStyle = css(look.paper);
  c.fillRect(left, top, w, h);
  c.fillStyle = css(look.ink);
  c.textBaseline = "middle";
  c.fillText(text, left + 6 * unit, top + h / 2);
}

function isCorner(r: Rect, [x, y]: Cell): boolean {
  return (x === r.x || x === r.x + r.w - 1) && (y === r.y || y === r.y + r.h - 1);
}

/** The smallest rectangle that has two. */
export function union(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}

/** The rectangle of cells from one corner to another, both in it. */
export function between([x0, y0]: Cell, [x1, y1]: Cell): Rect {
  return { x: Math.min(x0, x1), y: Math.min(y0, y1), w: Math.abs(x1 - x0) + 1, h: Math.abs(y1 - y0) + 1 };
}

/** The part of a rectangle in the universe; null: there is none. */
export function within(r: Rect, universe: Rect | null): Rect | null {
  if (!universe) return r;
  const x = Math.max(r.x, universe.x);
  const y = Math.max(r.y, universe.y);
  const w = Math.min(r.x + r.w, universe.x + universe.w) - x;
  const h = Math.min(r.y + r.h, universe.y + universe.h) - y;
  return w > 0 && h > 0 ? { x, y, w, h } : null;
}
