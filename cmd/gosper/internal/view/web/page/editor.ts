// The editor: what is selected, what floats before it is pasted, and how both look. The server changes the cells.

import type { Camera, Rect } from "./camera";
import type { Look } from "./look";

/** What the pointer does. */
export type Tool = "move" | "draw" | "select";

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
  private corner: [number, number] = [0, 0]; // where the pointer went down
  private grabbed: { x: number; y: number; moved: boolean } | null = null;

  /** The pointer goes down to select, or to move what floats. */
  begin(x: number, y: number): void {
    if (this.floating) this.grabbed = { x, y, moved: false };
    else {
      this.corner = [x, y];
      this.selection = { x, y, w: 1, h: 1 };
    }
  }

  drag(x: number, y: number, universe: Rect | null): void {
    if (this.floating && this.grabbed) {
      this.nudge(x - this.grabbed.x, y - this.grabbed.y);
      this.grabbed = { x, y, moved: true };
    } else if (!this.floating) this.selection = within(between(this.corner, [x, y]), universe);
  }

  /** The pointer goes up; returns whether what floats is to be put down: it was clicked. */
  end(): boolean {
    const clicked = this.grabbed !== null && !this.grabbed.moved;
    this.grabbed = null;
    return clicked && this.floating !== null;
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

  /** Draws the selection and what floats over the picture. */
  paint(canvas: HTMLCanvasElement, camera: Camera, look: Look, colours: (state: number) => string): void {
    const c = canvas.getContext("2d")!;
    if (canvas.width !== camera.width || canvas.height !== camera.height) [canvas.width, canvas.height] = [camera.width, camera.height];
    else c.clearRect(0, 0, canvas.width, canvas.height);
    const { zoom } = camera.now;
    const view = camera.visible();
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

/** The rectangle of cells from one corner to another, both in it. */
export function between([x0, y0]: [number, number], [x1, y1]: [number, number]): Rect {
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
