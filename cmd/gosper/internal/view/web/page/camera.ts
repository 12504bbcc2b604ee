// The camera: which part of the universe the canvas shows. Coordinates are cells, y down; a cell (x, y) covers the square from (x, y) to (x+1, y+1).
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
  /** The camera jumps if the system is set to reduced motion. */
  still = false;

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
      now.x = this.anchor.x - (this.anchor.px - this.width / 2) / now.zoom;
      now.y = this.anchor.y - (this.anchor.py - this.height / 2) / now.zoom;
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
    this.now.x -= dx / this.now.zoom;
    this.now.y -= dy / this.now.zoom;
    this.target = { ...this.now };
  }

  /** Glides by a share of the canvas. */
  glide(dx: number, dy: number): void {
    this.anchor = null;
    this.target.x += (dx * this.width) / this.now.zoom;
    this.target.y += (dy * this.height) / this.now.zoom;
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
    this.now.x = x - (px - this.width / 2) / this.now.zoom;
    this.now.y = y - (py - this.height / 2) / this.now.zoom;
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
    return r.x >= x - w + left / zoom && r.y >= y - h + top / zoom && r.x + r.w <= x + w - right / zoom && r.y + r.h <= y + h - bottom / zoom;
  }

  /** Whether r would be seen at three times the size: what has shrunk so much gets a nearer view. */
  dwarfs(r: Rect, top: number, bottom: number, left: number, right: number): boolean {
    return this.exact(r, top, bottom, left, right) >= 3 * this.destination().zoom;
  }

  /** The zoom at which r fills the room between the controls, but for a little. */
  private exact(r: Rect, top: number, bottom: number, left: number, right: number): number {
    const w = Math.max(this.width - left - right, 16);
    const h = Math.max(this.height - top - bottom, 16);
    return Math.min(w / (Math.max(r.w, 1) * 1.08), h / (Math.max(r.h, 1) * 1.08), 24);
  }

  /** Shows all of r with a little room around it. `top` and `bottom` device pixels of the canvas are covered by controls. With `grows`, it never comes
   * nearer than it is, and goes by powers of two from afar: what grows is not smaller with every frame. */
  fit(r: Rect, top = 0, bottom = 0, left = 0, right = 0, atOnce = false, grows = false): void {
    const most = this.exact(r, top, bottom, left, right);
    let zoom = most < 4 ? most : Math.floor(most); // cells of whole pixels are sharp
    if (grows) zoom = Math.min(most < 4 ? 2 ** Math.floor(Math.log2(most)) : zoom, this.destination().zoom);
    zoom = clampZoom(zoom);
    const x = r.x + r.w / 2 + (right - left) / 2 / zoom;
    const y = r.y + r.h / 2 + (bottom - top) / 2 / zoom;
    this.goTo({ x, y, zoom }, atOnce);
  }

  /** The point of the universe under a device pixel of the canvas. */
  cellAt(px: number, py: number): [number, number] {
    return [this.now.x + (px - this.width / 2) / this.now.zoom, this.now.y + (py - this.height / 2) / this.now.zoom];
  }

  /** What the canvas shows, in cells. */
  visible(): Rect {
    const w = this.width / this.now.zoom;
    const h = this.height / this.now.zoom;
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

function clampZoom(zoom: number): number {
  return Math.min(Math.max(zoom, 1 / mostCellsPerPixel), mostPixelsPerCell);
}

/** The scale (a sample stands for 2^scale × 2^scale cells) whose samples are at least a device pixel wide. */
export function scaleFor(zoom: number): number {
  return zoom >= 1 ? 0 : Math.ceil(-Math.log2(zoom) - 1e-9);
}
