// Which samples to ask the server for.

import { scaleFor, type Camera, type Rect } from "./camera";

/** A part of the universe in samples of 2^scale × 2^scale cells; x and y are cells, multiples of 2^scale. */
export interface Region {
  x: number;
  y: number;
  scale: number;
  w: number;
  h: number;
}

const mostSamples = 1 << 22; // as view/scene has it
const grain = 32; // regions begin and end at multiples of so many samples: small moves ask for nothing new
const margin = 0.06;
/** What can be looked at of an unbounded universe. Beyond 2^53 doubles tell samples apart, but no cells. */
const everywhere: Rect = { x: -(2 ** 60), y: -(2 ** 60), w: 2 ** 61, h: 2 ** 61 };

/** The region to look at, the one held while it serves. */
export function regionFor(camera: Camera, bounds: Rect | null, held: Region | null): Region {
  const universe = bounds ?? everywhere;
  const seen = camera.visible();
  let scale = scaleFor(camera.now.zoom);
  while ((seen.w / 2 ** scale) * (seen.h / 2 ** scale) * (1 + 2 * margin) ** 2 > mostSamples) scale++;
  if (held && held.scale === scale && covers(held, clip(seen, universe)) && !muchLarger(held, seen)) return held;
  const unit = 2 ** scale;
  const roomy = { x: seen.x - margin * seen.w, y: seen.y - margin * seen.h, w: (1 + 2 * margin) * seen.w, h: (1 + 2 * margin) * seen.h };
  const part = clip(roomy, universe);
  const block = grain * unit;
  const x = Math.floor(part.x / block) * block;
  const y = Math.floor(part.y / block) * block;
  let w = Math.max(Math.ceil((part.x + part.w - x) / block), 1) * grain;
  let h = Math.max(Math.ceil((part.y + part.h - y) / block), 1) * grain;
  w = Math.max(Math.min(w, Math.ceil((universe.x + universe.w - x) / unit)), 1);
  h = Math.max(Math.min(h, Math.ceil((universe.y + universe.h - y) / unit)), 1);
  if (w * h > mostSamples) return regionFor(coarser(camera), bounds, held);
  return { x, y, scale, w, h };
}

/** The pictures of a film of a view: the samples, and the pixels of each. */
export interface Frames extends Region {
  pixels: number;
}

/** The part of the view that a film shows: whole cells or blocks, so that all pixels have one of a few colours. */
export function filmOf(camera: Camera, bounds: Rect | null, longestSide: number): Frames {
  const seen = clip(camera.visible(), bounds ?? everywhere);
  const longer = Math.max(seen.w, seen.h);
  const scale = longer > longestSide ? Math.ceil(Math.log2(longer / longestSide)) : 0;
  const unit = 2 ** scale;
  const x = Math.floor(seen.x / unit) * unit;
  const y = Math.floor(seen.y / unit) * unit;
  const w = Math.max(Math.ceil((seen.x + seen.w - x) / unit), 1);
  const h = Math.max(Math.ceil((seen.y + seen.h - y) / unit), 1);
  return { x, y, scale, w, h, pixels: Math.min(Math.max(Math.floor(longestSide / Math.max(w, h)), 1), 32) };
}

/** The same view through half as many pixels each way. */
function coarser(camera: Camera): Camera {
  const c = Object.create(camera) as Camera;
  c.width = camera.width / 2;
  c.height = camera.height / 2;
  c.now = { ...camera.now, zoom: camera.now.zoom / 2 };
  return c;
}

/** The part of r in the universe. If r is outside, it is the nearest part of the universe. */
function clip(r: Rect, universe: Rect): Rect {
  const limit = (v: number, lo: number, hi: number) => Math.min(Math.max(v, lo), hi);
  const x = limit(r.x, universe.x, universe.x + universe.w - 1);
  const y = limit(r.y, universe.y, universe.y + universe.h - 1);
  const right = limit(r.x + r.w, x + 1, universe.x + universe.w);
  const bottom = limit(r.y + r.h, y + 1, universe.y + universe.h);
  return { x, y, w: right - x, h: bottom - y };
}

function covers(r: Region, s: Rect): boolean {
  const unit = 2 ** r.scale;
  return r.x <= s.x && r.y <= s.y && r.x + r.w * unit >= s.x + s.w && r.y + r.h * unit >= s.y + s.h;
}

function muchLarger(r: Region, s: Rect): boolean {
  const unit = 2 ** r.scale;
  return r.w * unit > 1.6 * s.w + 2 * grain * unit || r.h * unit > 1.6 * s.h + 2 * grain * unit;
}
