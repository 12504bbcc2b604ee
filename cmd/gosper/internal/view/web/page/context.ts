// State that the controllers of the page share.

import type { Camera, Rect } from "./camera";
import type { Link, Status } from "./link";
import type { Look } from "./look";
import type { Permalink } from "./permalink";
import type { Screen } from "./screen";
import type { About } from "./session";

export interface Context {
  readonly link: Link;
  readonly camera: Camera;
  readonly renderer: Screen;
  readonly look: Look;
  readonly status: Status | null; // the newest; null: none has come yet
  readonly universe: Rect | null; // null: it has no edges
  readonly about: About | null; // null: there is nothing beside this universe
  readonly name: string; // of the session; empty: the server's first universe
  readonly states: number; // of the rule
  readonly room: [number, number, number, number]; // device pixels that controls cover: above, below, on the left, on the right
  /** The bounding box of the live cells; the status must have come. */
  box(): Rect;
  /** The place looked at, as an address has it. */
  readonly place: Permalink;
  /** Somebody moves the view: it follows no script any more. */
  freed(): void;
  /** Paints the picture again, and what lies over it, at the next turn of the screen. */
  repaint(): void;
  /** Draws the frame on display again: its cells or colours have changed. */
  redraw(): void;
  /** Shows a line for some time; wrong: something was refused or failed. */
  notify(text: string, wrong?: boolean, ms?: number): void;
}
