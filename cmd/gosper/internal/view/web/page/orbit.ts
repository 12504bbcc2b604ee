// The viewer of a volume goes around the middle of a box. Axes: if the view is not turned, x goes to the right, y down, and z away.

export type Vector = [number, number, number];

/** The cells low ≤ (x, y, z) < high. */
export interface Box {
  low: Vector;
  high: Vector;
}

const fieldOfView = Math.PI / 6;

/** The slope of the ray through the middle of an edge of a square picture. */
export const slope = Math.tan(fieldOfView / 2);

/** From where rays start, and their directions. */
export interface Eye {
  at: Vector;
  right: Vector;
  down: Vector;
  forward: Vector;
  near: number; // distances of the box
  far: number;
}

export class Orbit {
  yaw = 30; // degrees around the vertical axis
  pitch = 25; // degrees above the horizon
  zoom = 1; // 1: all of the box fits into the picture

  turn(yaw: number, pitch: number): void {
    this.yaw = (this.yaw + yaw) % 360;
    this.pitch = Math.min(Math.max(this.pitch + pitch, -90), 90);
  }

  magnify(by: number): void {
    this.zoom = Math.min(Math.max(this.zoom * by, 0.2), 20);
  }

  eye(box: Box): Eye {
    const [sy, cy] = [Math.sin((this.yaw * Math.PI) / 180), Math.cos((this.yaw * Math.PI) / 180)];
    const [sp, cp] = [Math.sin((this.pitch * Math.PI) / 180), Math.cos((this.pitch * Math.PI) / 180)];
    const forward: Vector = [-sy * cp, sp, cy * cp];
    const right: Vector = [cy, 0, sy];
    const middle = box.low.map((l, i) => (l + box.high[i]!) / 2);
    const radius = Math.hypot(...box.low.map((l, i) => box.high[i]! - l)) / 2;
    const distance = radius / Math.sin(fieldOfView / 2) / this.zoom;
    return {
      at: middle.map((m, i) => m - distance * forward[i]!) as Vector,
      right,
      down: cross(forward, right),
      forward,
      near: distance - radius,
      far: distance + radius,
    };
  }
}

export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** The direction of the ray through a pixel of a picture of w × h. */
export function rayThrough(eye: Eye, px: number, py: number, w: number, h: number): Vector {
  const half = Math.min(w, h) / 2;
  const [a, b] = [((px - w / 2) / half) * slope, ((py - h / 2) / half) * slope];
  return eye.forward.map((f, i) => f + a * eye.right[i]! + b * eye.down[i]!) as Vector;
}

/** A slice is the cells that have the coordinate at along an axis (0, 1, 2). */
export interface Slice {
  axis: number;
  at: number;
}

/** The box without what is in front of a slice, and the side of the slice that the viewer sees: 1 if it is towards higher coordinates. */
export function cut(box: Box, slice: Slice, eye: Vector): { box: Box; side: number } {
  const low: Vector = [...box.low];
  const high: Vector = [...box.high];
  if (eye[slice.axis]! > slice.at + 0.5) {
    high[slice.axis] = slice.at + 1;
    return { box: { low, high }, side: 1 };
  }
  low[slice.axis] = slice.at;
  return { box: { low, high }, side: 0 };
}

/** The cell of a slice that a ray meets, on the side that the viewer sees; null: none within the box. */
export function pick(slice: Slice, side: number, box: Box, from: Vector, along: Vector): Vector | null {
  const t = (slice.at + side - from[slice.axis]!) / along[slice.axis]!;
  if (!(t > 0)) return null;
  const cell = from.map((f, i) => Math.floor(f + t * along[i]!)) as Vector;
  cell[slice.axis] = slice.at;
  return cell.every((c, i) => c >= box.low[i]! && c < box.high[i]!) ? cell : null;
}
