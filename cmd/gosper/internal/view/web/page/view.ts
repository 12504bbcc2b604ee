// Where the page looks: its camera, what it keeps in view, and the part of the universe that the server sends for it.

import { Camera, sharpest, type Place, type Rect } from "./camera";
import type { Context } from "./context";
import type { Status } from "./link";
import { element } from "./panel";
import type { Permalink } from "./permalink";
import { regionFor, type Region } from "./viewport";

export class View {
  readonly camera = new Camera();
  region: Region | null = null; // what the server was asked for; null: it is to be asked again
  private shown = ""; // which universe the camera looks at
  private places = new Map<string, Place>(); // of the camera, by universe
  private keepsFitting = false; // everything is shown again when it leaves the view

  constructor(
    private page: Context,
    private stage: HTMLElement,
  ) {
    element("to-cell").onclick = () => this.askCell();
    const resize = () => {
      const scale = Math.min(devicePixelRatio, sharpest);
      this.camera.width = Math.max(1, Math.round(stage.clientWidth * scale));
      this.camera.height = Math.max(1, Math.round(stage.clientHeight * scale));
      page.repaint();
    };
    resize();
    new ResizeObserver(resize).observe(stage);
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.camera.still = calm.matches;
    calm.addEventListener("change", () => (this.camera.still = calm.matches));
  }

  /** Tells the server what is seen, when that is something new. */
  ask(channel: string): void {
    if (!this.page.status || !this.page.link.isOpen) return;
    const r = regionFor(this.camera, this.page.universe, this.region);
    if (r === this.region) return;
    this.region = r;
    this.page.link.send({ do: "view", ...r, x: r.x / 2 ** r.scale, y: r.y / 2 ** r.scale, channel });
  }

  /** Looks at another universe: as it was left, or at all of it. False: it looks at this one already. */
  turnTo(universe: string): boolean {
    if (universe === this.shown) return false;
    this.places.set(this.shown, this.camera.destination());
    this.shown = universe;
    this.region = null;
    const left = this.places.get(universe);
    if (left) this.camera.goTo(left, true);
    else this.fit(true);
    return true;
  }

  /** Follows cells that the server counts from another corner: the rule brought an edge, or took it away. */
  shift(dx: number, dy: number): void {
    this.camera.shift(dx, dy);
    this.region = null;
  }

  /** Goes where an address says. */
  goToPlace(at: Permalink["at"]): void {
    if (!at) return;
    this.camera.goTo({ x: at[0], y: at[1], zoom: at[2] }, true);
    this.page.repaint();
  }

  /** Shows everything from now on, whenever some of it has left the view, until somebody moves the view. */
  keepFitting(yes = !this.keepsFitting): void {
    this.page.freed();
    this.keepsFitting = element<HTMLInputElement>("fitting").checked = yes;
    if (this.page.status && yes) this.keepInView(this.page.status);
  }

  keepInView(s: Status): void {
    if (!this.keepsFitting || s.loading !== null || s.box[2] === 0) return;
    const room = this.covered();
    const nearer = this.camera.dwarfs(this.page.box(), ...room);
    if (this.camera.holds(this.page.box(), ...room) && !nearer) return;
    this.camera.fit(this.page.box(), ...room, false, !nearer);
    this.page.repaint();
  }

  /** Goes near enough to an object. */
  lookAt(r: Rect): void {
    this.keepFitting(false);
    const { zoom } = this.camera.destination();
    this.camera.goTo({ x: r.x + r.w / 2, y: r.y + r.h / 2, zoom: Math.max(zoom, 8 * Math.min(devicePixelRatio, sharpest)) });
    this.page.repaint();
  }

  /** Shows a part of the universe, between the controls. */
  closeUp(r: Rect, atOnce = false): void {
    this.camera.fit(r, ...this.covered(), atOnce);
    this.page.repaint();
  }

  /** The device pixels that controls cover: above, below, on the left, on the right. */
  covered(): [number, number, number, number] {
    const scale = this.camera.width / Math.max(this.stage.clientWidth, 1);
    const style = getComputedStyle(document.documentElement);
    const [bar, beside] = ["--bar", "--beside"].map((name) => parseFloat(style.getPropertyValue(name)));
    return [64 * scale, (bar! + 24) * scale, 0, beside! * scale];
  }

  /** Shows all cells. */
  fit(atOnce = false): void {
    this.page.freed();
    if (this.page.status) this.closeUp(this.page.box(), atOnce);
  }

  /** Goes to a cell that somebody names. */
  askCell(): void {
    const text = prompt("Go to the cell in column and row:", "0, 0");
    const [, x, y] = /^\s*(-?\d+)[\s,]+(-?\d+)\s*$/.exec(text ?? "") ?? [];
    if (x !== undefined) this.lookAt({ x: Number(x), y: Number(y), w: 1, h: 1 });
    else if (text) this.page.notify(`“${text}” is no cell: 12, -5 is.`, true);
  }

  middle(): void {
    this.page.freed();
    if (!this.page.status) return;
    const r = this.page.box();
    this.camera.goTo({ ...this.camera.destination(), x: r.x + r.w / 2, y: r.y + r.h / 2 });
  }

  zoomBy(factor: number): void {
    this.keepFitting(false);
    this.camera.zoomBy(factor);
  }

  zoomTo(zoom: number): void {
    this.keepFitting(false);
    this.camera.goTo({ ...this.camera.destination(), zoom });
  }

  /** Moves by parts of the view. */
  glide(dx: number, dy: number): void {
    this.keepFitting(false);
    this.camera.glide(dx, dy);
  }
}
