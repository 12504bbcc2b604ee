// Cells being drawn. They are sent when the pen is lifted, so that one stroke is one step of undo; until then, and until a frame has
// them, they are laid over the frames here.

import type { Frame } from "./frame";

const longest = 1 << 16; // cells of a stroke; a longer one goes on as another

export class Stroke {
  private cells = new Map<string, [number, number]>();
  private lingering: { cells: [number, number][]; state: number; until: number } | null = null;

  constructor(private send: (state: number, cells: number[]) => void) {}

  /** What the pen writes: 1 draws, 0 erases. */
  state = 1;

  add(x: number, y: number): void {
    this.cells.set(`${x},${y}`, [x, y]);
    if (this.cells.size >= longest) this.end();
  }

  end(): void {
    if (this.cells.size === 0) return;
    const list = [...this.cells.values()];
    this.send(this.state, list.flat());
    this.lingering = { cells: list, state: this.state, until: performance.now() + 150 };
    this.cells.clear();
  }

  get drawing(): boolean {
    return this.cells.size > 0;
  }

  /** Writes the cells not known to the server yet into a frame. */
  lay(f: Frame, playing: boolean): void {
    if (f.scale !== 0) return;
    const rest = this.lingering;
    if (rest && !playing && performance.now() < rest.until) for (const [x, y] of rest.cells) write(f, x, y, rest.state);
    for (const [x, y] of this.cells.values()) write(f, x, y, this.state);
  }
}

/** The state of a cell of a frame of states; 0 outside it. */
export function stateAt(f: Frame, x: number, y: number): number {
  const [i, j] = [x - f.x, y - f.y];
  if (i < 0 || j < 0 || i >= f.w || j >= f.h) return 0;
  let state = 0;
  for (let p = 0; p < f.planes; p++) {
    const word = f.bits[(p * f.h + j) * f.words + (i >> 5)]!;
    state |= ((word >>> (i & 31)) & 1) << p;
  }
  return state;
}

function write(f: Frame, x: number, y: number, state: number): void {
  const [i, j] = [x - f.x, y - f.y];
  if (i < 0 || j < 0 || i >= f.w || j >= f.h) return;
  for (let p = 0; p < f.planes; p++) {
    const at = (p * f.h + j) * f.words + (i >> 5);
    const bit = 1 << (i & 31);
    f.bits[at] = (state >> p) & 1 ? f.bits[at]! | bit : f.bits[at]! & ~bit;
  }
}
