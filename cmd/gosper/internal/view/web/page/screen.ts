// What draws frames.

import type { Camera, Rect } from "./camera";
import type { Frame } from "./frame";
import type { Look } from "./look";

export interface Screen {
  /** The frame on display. */
  readonly current: Frame | null;
  /** Takes a frame in. A frame taken again is coloured again. */
  take(f: Frame, look: Look, states: number): void;
  /** Draws what the camera sees. The canvas may have a pixel for many of the screen, and is then enlarged by its style. */
  paint(camera: Camera, look: Look, universe: Rect | null): void;
  /** Copies what was drawn in this turn of the screen, in all its pixels. */
  copy(to: CanvasRenderingContext2D): void;
  /** Forgets the ages of cells: another universe comes. */
  forget(): void;
}
