// The lines between cells, and each tenth one stronger. They lie over the picture and are drawn again only when the view moves: a browser without a graphics
// card takes longer to mix them into each frame than to make the frame.

import type { Camera, Rect } from "./camera";
import { mix, type Look, type RGB } from "./look";

/** How strong lines are, from 0 to 1: each, and each tenth, where they are not dense. */
function strengths(zoom: number, look: Look): { each: number; tenth: number } {
  if (!look.grid) return { each: 0, tenth: 0 };
  return { each: 0.2 * Math.min(Math.max((zoom - 6) / 10, 0), 1), tenth: 0.12 * Math.min(Math.max(zoom / devicePixelRatio - 4, 0), 1) };
}

/** Whether there are lines to draw. */
export function showsGrid(camera: Camera, look: Look): boolean {
  const { each, tenth } = strengths(camera.now.zoom, look);
  return !camera.lattice && each + tenth > 0;
}

/** Draws the lines that the camera sees of the universe. */
export function drawGrid(c: CanvasRenderingContext2D, camera: Camera, look: Look, universe: Rect | null): void {
  if (camera.lattice) return; // lines are part of the picture
  c.setTransform(...camera.flat);
  const { zoom } = camera.now;
  const all = camera.visible();
  const { each, tenth } = strengths(zoom, look);
  const [x0, y0] = [Math.max(all.x, universe?.x ?? all.x), Math.max(all.y, universe?.y ?? all.y)];
  const x1 = Math.min(all.x + all.w, universe ? universe.x + universe.w : Infinity);
  const y1 = Math.min(all.y + all.h, universe ? universe.y + universe.h : Infinity);
  const width = Math.max(Math.round(devicePixelRatio), 1);
  const [across, down] = [(x: number) => Math.round((x - all.x) * zoom), (y: number) => Math.round((y - all.y) * zoom)];
  const lines = (step: number, paint: RGB, strength: number) => {
    if (strength === 0 || x0 > x1 || y0 > y1) return;
    c.fillStyle = `rgb(${paint.map((v) => 255 * v).join(" ")} / ${strength})`;
    for (let x = Math.ceil(x0 / step) * step; x <= x1; x += step) c.fillRect(across(x) - (width >> 1), down(y0), width, down(y1) - down(y0));
    for (let y = Math.ceil(y0 / step) * step; y <= y1; y += step) c.fillRect(across(x0), down(y) - (width >> 1), across(x1) - across(x0), width);
  };
  lines(1, mix(look.paper, look.ink, 0.5), each);
  lines(10, look.ink, tenth);
  c.resetTransform();
}
