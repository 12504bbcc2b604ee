// The camera: which part of the universe the canvas shows. Coordinates are cells, y down; a cell (x, y) covers the square from (x, y) to (x+1, y+1).
// Hexagons and triangles have the same coordinates. On the canvas each row of hexagons lies half a cell to the left of the one above it. A triangle is two
// columns wide; those whose column and row have an even sum point down.
// They are doubles, exact to 2^53; the graphics card only gets coordinates relative to a frame's corner.

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A position of the camera: the cell coordinates of the middle of the canvas, and device pixels per cell. */
export interface Place {
  x: number;
  y: number;
  zoom: number;
}

/** The shape of cells: squares, hexagons or triangles. */
export type Lattice = "" | "hex" | "tri";

export const sharpest = 2; // device pixels per CSS pixel that are worth drawing
const mostPixelsPerCell = 96;
const mostCellsPerPixel = 2 ** 48; // a window shows some 2^60 cells; view/scene has samples of up to 2^50 a side

/** Share of the way to its target that the camera moves in a millisecond. It seems to be there after a fifth of a second. */
const haste = 0.022;

export class Camera {
  /** Size of the canvas in device pixels. */
  width = 1;
  height = 1;
  now: Place = { x: 0, y: 0, zoom: 4 };
  private target: Place = { ...this.now };
  /** Set while the camera keeps a point of the universe under the pointer as it zooms. */
  private anchor: { px: number; py: number; x: number; y: number } | null = null;
  /** Device pixels per CSS pixel. */
  get sharpness(): number {
    return Math.min(devicePixelRatio, sharpest);
  }
  /** The camera jumps if the system is set to reduced motion. */
  still = false;
  lattice: Lattice = "";
  /** Degrees by which the universe is turned clockwise. */
  angle = 0;

  /** Cosine and sine of the angle. */
  get turn(): [number, number] {
    const a = (this.angle * Math.PI) / 180;
    return [Math.cos(a), Math.sin(a)];
  }

  /** How far a row lies to the right of the one above it, in cells. */
  get shear(): number {
    return this.lattice === "hex" ? -0.5 : 0;
  }

  /** The height of a row, in widths of a column. */
  get tall(): number {
    return this.lattice ? Math.sqrt(3) / (this.lattice === "hex" ? 2 : 1) : 1;
  }

  /** Converts a distance from device pixels to cells. */
  private cellsOf(dx: number, dy: number, zoom = this.now.zoom): [number, number] {
    const [c, s] = this.turn;
    const y = (c * dy - s * dx) / zoom / this.tall;
    return [(c * dx + s * dy) / zoom - this.shear * y, y];
  }

  /** What turns pixels of a canvas of square cells from the corner of visible() on into pixels of this one. */
  get flat(): [number, number, number, number, number, number] {
    const { w, h } = this.visible();
    const [c, s] = this.turn;
    const { shear, tall, now } = this;
    const [right, down] = [c * shear - s * tall, s * shear + c * tall];
    return [c, s, right, down, (this.width - (c * w + right * h) * now.zoom) / 2, (this.height - (s * w + down * h) * now.zoom) / 2];
  }

  /** The cell under a device pixel of the canvas. */
  cellUnder(px: number, py: number): [number, number] {
    const [x, y] = this.cellAt(px, py);
    let best: [number, number] = [Math.floor(x), Math.floor(y)];
    if (!this.lattice) return best;
    let least = Infinity;
    for (const [i, j] of this.lattice === "hex" ? around(x - 0.5, y - 0.5) : [-1, 0, 1].map((d) => [best[0] + d, best[1]] as const)) {
      const [dx, dy] = [x - i - 0.5, y - j - 0.5];
      const down = (i + j) % 2 === 0;
      const far = this.lattice === "hex" ? Math.hypot(dx + this.shear * dy, dy * this.tall) : Math.abs(dx) + (down ? dy : -dy);
      if (far < least) [least, best] = [far, [i, j]];
    }
    return best;
  }

  /** Whether the camera is where it was sent. */
  get arrived(): boolean {
    const { now, target } = this;
    return now.x === target.x && now.y === target.y && now.zoom === target.zoom;
  }

  /** Advances towards the target; returns whether it moved. */
  advance(ms: number): boolean {
    const { now, target } = this;
    if (this.arrived) return false;
    const part = this.still ? 1 : 1 - Math.exp(-haste * ms);
    const ratio = Math.log(target.zoom / now.zoom);
    now.zoom *= Math.exp(ratio * part);
    if (Math.abs(ratio) < 1e-3) now.zoom = target.zoom;
    if (this.anchor) {
      const [dx, dy] = this.cellsOf(this.anchor.px - this.width / 2, this.anchor.py - this.height / 2);
      [now.x, now.y] = [this.anchor.x - dx, this.anchor.y - dy];
    } else {
      now.x += (target.x - now.x) * part;
      now.y += (target.y - now.y) * part;
    }
    const rest = Math.max(Math.abs(target.x - now.x), Math.abs(target.y - now.y)) * now.zoom;
    if (now.zoom === target.zoom && (this.anchor || rest < 0.25)) {
      if (this.anchor) this.target = { ...now };
      else this.now = { ...target };
      this.anchor = null;
    }
    return true;
  }

  /** Moves by device pixels at once, so that the universe follows the finger. */
  pan(dx: number, dy: number): void {
    this.settle();
    const [x, y] = this.cellsOf(dx, dy);
    this.now.x -= x;
    this.now.y -= y;
    this.target = { ...this.now };
  }

  /** Glides by a share of the canvas. */
  glide(dx: number, dy: number): void {
    this.anchor = null;
    const [x, y] = this.cellsOf(dx * this.width, dy * this.height);
    this.target.x += x;
    this.target.y += y;
  }

  /** Zooms smoothly, keeping the point under device pixel (px, py) where it is. */
  zoomBy(factor: number, px = this.width / 2, py = this.height / 2): void {
    const [x, y] = this.cellAt(px, py);
    this.anchor = { px, py, x, y };
    this.target.zoom = clampZoom(this.target.zoom * factor);
  }

  /** Zooms and pans at the same time: two points follow two fingers. */
  pinch(factor: number, px: number, py: number, dx: number, dy: number): void {
    this.settle();
    const [x, y] = this.cellAt(px - dx, py - dy);
    this.now.zoom = clampZoom(this.now.zoom * factor);
    const [toX, toY] = this.cellsOf(px - this.width / 2, py - this.height / 2);
    [this.now.x, this.now.y] = [x - toX, y - toY];
    this.target = { ...this.now };
  }

  /** Goes to a place, smoothly unless atOnce is set. */
  goTo(place: Place, atOnce = false): void {
    this.anchor = null;
    this.target = { ...place, zoom: clampZoom(place.zoom) };
    if (atOnce) this.now = { ...this.target };
  }

  /** Moves the numbers of all cells, and the view with them. */
  shift(dx: number, dy: number): void {
    for (const at of [this.now, this.target]) [at.x, at.y] = [at.x + dx, at.y + dy];
    if (this.anchor) [this.anchor.x, this.anchor.y] = [this.anchor.x + dx, this.anchor.y + dy];
  }

  /** Whether all of r is seen, or will be, between the controls. */
  holds(r: Rect, top: number, bottom: number, left: number, right: number): boolean {
    const { x, y, zoom } = this.destination();
    const [w, h] = [this.width / 2 / zoom, this.height / 2 / zoom];
    const [u, v, lean] = [r.x - x + this.shear * (r.y - y), (r.y - y) * this.tall, this.shear * r.h];
    return (
      u + Math.min(lean, 0) >= left / zoom - w && v >= top / zoom - h && u + r.w + Math.max(lean, 0) <= w - right / zoom && v + r.h * this.tall <= h - bottom / zoom
    );
  }

  /** Whether r would be seen at three times the size: what has shrunk so much gets a nearer view. */
  dwarfs(r: Rect, top: number, bottom: number, left: number, right: number): boolean {
    return this.exact(r, top, bottom, left, right) >= 3 * this.destination().zoom;
  }

  /** The zoom at which r fills the room between the controls, but for a little. */
  private exact(r: Rect, top: number, bottom: number, left: number, right: number): number {
    const w = Math.max(this.width - left - right, 16);
    const h = Math.max(this.height - top - bottom, 16);
    return Math.min(w / (Math.max(r.w - this.shear * r.h, 1) * 1.08), h / (Math.max(r.h * this.tall, 1) * 1.08), 24);
  }

  /** Shows all of r with a little room around it. `top` and `bottom` device pixels of the canvas are covered by controls. With `grows`, it never comes
   * nearer than it is, and goes by powers of two from afar: what grows is not smaller with every frame. */
  fit(r: Rect, top = 0, bottom = 0, left = 0, right = 0, atOnce = false, grows = false): void {
    const most = this.exact(r, top, bottom, left, right);
    let zoom = most < 4 ? most : Math.floor(most); // cells of whole pixels are sharp
    if (grows) zoom = Math.min(most < 4 ? 2 ** Math.floor(Math.log2(most)) : zoom, this.destination().zoom);
    zoom = clampZoom(zoom);
    const [dx, dy] = this.cellsOf((right - left) / 2, (bottom - top) / 2, zoom);
    this.goTo({ x: r.x + r.w / 2 + dx, y: r.y + r.h / 2 + dy, zoom }, atOnce);
  }

  /** The point of the universe under a device pixel of the canvas. */
  cellAt(px: number, py: number): [number, number] {
    const [dx, dy] = this.cellsOf(px - this.width / 2, py - this.height / 2);
    return [this.now.x + dx, this.now.y + dy];
  }

  /** The smallest rectangle with all cells that the canvas shows. */
  visible(): Rect {
    const [c, s] = this.turn.map(Math.abs) as [number, number];
    const h = (s * this.width + c * this.height) / this.now.zoom / this.tall;
    const w = (c * this.width + s * this.height) / this.now.zoom - this.shear * h;
    return { x: this.now.x - w / 2, y: this.now.y - h / 2, w, h };
  }

  /** The place that the camera moves to. */
  destination(): Place {
    return this.anchor ? { ...this.now, zoom: this.target.zoom } : { ...this.target };
  }

  private settle(): void {
    this.anchor = null;
    this.target = { ...this.now };
  }
}

/** The four points of whole numbers around a point. */
function around(x: number, y: number): [number, number][] {
  const [i, j] = [Math.floor(x), Math.floor(y)];
  return [[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]];
}

function clampZoom(zoom: number): number {
  return Math.min(Math.max(zoom, 1 / mostCellsPerPixel), mostPixelsPerCell);
}

/** The scale (a sample stands for 2^scale × 2^scale cells) whose samples are at least a device pixel wide. */
export function scaleFor(zoom: number): number {
  return zoom >= 1 ? 0 : Math.ceil(-Math.log2(zoom) - 1e-9);
}
