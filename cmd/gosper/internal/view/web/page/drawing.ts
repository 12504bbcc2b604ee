// Drawing with the pointer: the stroke under way, and the cells that the server does not know yet.

import type { Context } from "./context";
import { stateAt, type Frame } from "./frame";
import type { Status } from "./link";
import { cellsOfLine } from "./pointer";
import { Stroke } from "./stroke";

export class Drawing {
  readonly stroke = new Stroke((state, cells) => this.page.link.send({ do: "edit", state, cells }));

  constructor(private page: Pick<Context, "link" | "renderer" | "universe" | "status" | "notify" | "redraw">) {}

  /** Takes note of the strokes that have been written since the status before. */
  learn(s: Status, before: Status | null): void {
    if (s.universe !== before?.universe) this.stroke.forget();
    else this.stroke.written(Number(BigInt(s.drawn) - BigInt(before.drawn)));
  }

  /** Begins a stroke at a cell, in a state or, if the cell has that already, in state 0; false: nothing can be drawn now. */
  begin(x: number, y: number, state: number): boolean {
    const f = this.page.renderer.current;
    if (!this.page.link.isOpen) {
      this.page.notify("The server is out of reach: nothing can be drawn until it is back.", true, Infinity);
      return false;
    }
    if (!f || f.scale !== 0) {
      this.page.notify("Zoom in until single cells are seen, then draw.");
      return false;
    }
    this.stroke.state = stateAt(f, x, y) === state ? 0 : state;
    this.touch(x, y);
    return true;
  }

  line(x0: number, y0: number, x1: number, y1: number): void {
    cellsOfLine(x0, y0, x1, y1, (x, y) => this.touch(x, y));
  }

  private touch(x: number, y: number): void {
    const { universe } = this.page;
    if (universe && (x < 0 || y < 0 || x >= universe.w || y >= universe.h)) return;
    const f = this.page.renderer.current;
    if (!f) return;
    this.stroke.add(x, y, f);
    this.lay(f);
    this.page.redraw();
  }

  end(): void {
    if (this.stroke.end(this.page.renderer.current)) return;
    this.page.redraw();
    this.page.notify("The server is out of reach: what was drawn is lost.", true, Infinity);
  }

  /** Drops the stroke, because it was none. */
  cancel(): void {
    this.stroke.cancel(this.page.renderer.current);
    this.page.redraw();
  }

  /** Writes what the server does not know yet into a frame. */
  lay(f: Frame): void {
    this.stroke.lay(f, this.page.status?.playing ?? false);
  }
}
