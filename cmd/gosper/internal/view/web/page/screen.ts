// What draws frames: WebGL2 where the browser has it, else a plain canvas.

import type { Camera, Rect } from "./camera";
import type { Frame } from "./frame";
import type { Look } from "./look";
import { Plain } from "./plain";
import { Renderer } from "./renderer";

export interface Screen {
  /** The frame on display. */
  readonly current: Frame | null;
  /** Takes a frame in. A frame taken again is coloured anew. */
  take(f: Frame, look: Look, states: number): void;
  /** Draws what the camera sees. The canvas may have a pixel for many of the screen, and is then enlarged by its style. */
  paint(camera: Camera, look: Look, universe: Rect | null): void;
  /** Copies what was drawn in this turn of the screen, in all its pixels. */
  copy(to: CanvasRenderingContext2D): void;
  /** Forgets the ages of cells: another universe comes. */
  forget(): void;
}

/** The best screen for a canvas. restored is told of the frame that was on display when the graphics card came back. */
export function screenOn(canvas: HTMLCanvasElement, restored: (f: Frame) => void): Screen {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, powerPreference: "low-power" });
  return gl ? new Renderer(canvas, gl, restored) : new Plain(canvas);
}
