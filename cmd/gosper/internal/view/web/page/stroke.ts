// Cells that are being drawn. They are sent at the end of the stroke, so that undo takes back a whole stroke. Until the server has them, they are drawn
// over its frames here.

import { setState, stateAt, type Frame } from "./frame";

const longest = 1 << 16; // cells of a stroke; a longer one is split

export class Stroke {
  private cells = new Map<string, { x: number; y: number; was: number }>();
  private sent: { cells: [number, number][]; state: number }[] = []; // strokes that the server has not written yet, the oldest first

  constructor(private send: (state: number, cells: number[]) => boolean) {}

  /** The state that the pen writes: 1 draws, 0 erases. */
  state = 1;

  /** Marks a cell, whose state so far is in a frame. */
  add(x: number, y: number, f: Frame): void {
    const name = `${x},${y}`;
    if (!this.cells.has(name)) this.cells.set(name, { x, y, was: stateAt(f, x, y) });
    if (this.cells.size >= longest) this.end(f);
  }

  /** Drops the stroke, because it was the first of two fingers. */
  cancel(f: Frame | null): void {
    for (const { x, y, was } of this.cells.values()) if (f && f.scale === 0) setState(f, x, y, was);
    this.cells.clear();
  }

  /** Sends the stroke; false: it could not be sent, and is dropped. */
  end(f: Frame | null): boolean {
    if (this.cells.size === 0) return true;
    const list = [...this.cells.values()].map(({ x, y }): [number, number] => [x, y]);
    if (!this.send(this.state, list.flat())) {
      this.cancel(f);
      return false;
    }
    this.sent.push({ cells: list, state: this.state });
    this.cells.clear();
    return true;
  }

  /** The server has written some strokes more, of this page or others: its next frame is right without them. */
  written(strokes: number): void {
    this.sent.splice(0, strokes);
  }

  /** Whether the server still has to write a stroke. */
  get waits(): boolean {
    return this.sent.length > 0;
  }

  /** Forgets the cells that were sent: they will not be written. */
  forget(): void {
    this.sent = [];
  }

  /** Writes the cells that the server does not know yet into a frame. */
  lay(f: Frame, playing: boolean): void {
    if (f.scale !== 0) return;
    if (!playing) for (const { cells, state } of this.sent) for (const [x, y] of cells) setState(f, x, y, state);
    for (const { x, y } of this.cells.values()) setState(f, x, y, this.state);
  }
}
