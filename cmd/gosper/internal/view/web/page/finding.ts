// Finding objects: when the server looks for those of the universe, and what is done with its answer.

import type { Camera, Rect } from "./camera";
import type { Context } from "./context";
import type { Status } from "./link";
import { Objects, type ObjectList } from "./objects";
import { element } from "./panel";

const searchEvery = 2000; // ms

export class Finding {
  private objects: Objects;
  private finds = false; // objects are found whenever the universe is at rest
  private sought: string | null = null; // of which cells the objects were asked for last
  private fresh = false; // nothing has been found since somebody began
  private searching = 0; // since when the server looks for objects; 0: it does not
  private nextSearch = 0; // when it may again, while the universe plays

  /** selection is the part in which objects are found; look goes to an object; begun is called when the first objects are found that somebody asked for. */
  constructor(
    private page: Context,
    private selection: () => Rect | null,
    look: (at: Rect) => void,
    private begun: () => void,
  ) {
    this.objects = new Objects(element<HTMLTableElement>("kinds").tBodies[0]!, element("objects-note"), { look, redraw: () => page.repaint() });
    element("objects").onclick = () => this.toggle();
    element("rarest").onclick = () => this.rarest();
  }

  /** Begins or ends to find objects. */
  toggle(): void {
    this.finds = !this.finds;
    element("objects").ariaPressed = String(this.finds);
    element<HTMLButtonElement>("rarest").disabled = true;
    this.sought = null;
    this.objects.clear();
    this.fresh = this.finds;
    this.seek();
  }

  /** Goes to an object of the rarest kind, the next one each time. */
  rarest(): void {
    this.objects.rarest();
  }

  /** Asks for the objects. A universe at rest is searched once. One that plays is searched from time to time, to keep the table recent. */
  seek(): void {
    const s = this.page.status;
    if (!this.finds || !s) return;
    const cells = this.cells(s);
    const now = performance.now();
    if (cells === this.sought && !s.playing) return;
    this.objects.outdate();
    if (s.loading !== null || (!s.playing && s.counted !== s.generation)) return;
    // A search takes time from the universe, so the next one waits for several times as long.
    if (s.playing && (this.searching > 0 || now < this.nextSearch)) return;
    const part = this.selection() ?? { x: 0, y: 0, w: 0, h: 0 };
    if (!this.page.link.send({ do: "objects", ...part })) return;
    this.sought = cells;
    this.searching = now;
  }

  /** Takes the objects that were asked for. */
  take(list: ObjectList): void {
    this.searched(false);
    const s = this.page.status;
    if (!this.finds || !s) return;
    this.objects.take(list, s.rule, !s.playing && this.sought === this.cells(s));
    element<HTMLButtonElement>("rarest").disabled = list.at.length === 0;
    if (this.fresh) this.begun();
    this.fresh = false;
  }

  /** Something was refused, perhaps the search. */
  refused(): void {
    this.searched(true);
  }

  /** The answer will not come. */
  forget(): void {
    this.searching = 0;
  }

  private searched(refused: boolean): void {
    if (this.searching === 0) return; // the last of several
    const now = performance.now();
    this.nextSearch = now + (refused ? 10 * searchEvery : Math.max(searchEvery, 4 * (now - this.searching)));
    this.searching = 0;
  }

  /** Chooses the object at a cell, if objects are found. */
  pick(x: number, y: number): void {
    if (this.finds && this.page.status) this.objects.pick(x, y, this.page.status.generation);
  }

  /** Whether the objects of these cells have come, if they are wanted. */
  settled(s: Status): boolean {
    return this.searching === 0 && (!this.finds || this.sought === this.cells(s));
  }

  /** A text that differs whenever the cells that are searched differ. */
  cells(s: Status): string {
    const r = this.selection();
    return [s.universe, s.rule, s.generation, s.population, s.drawn, s.undo, s.redo, r && [r.x, r.y, r.w, r.h]].join();
  }

  /** Whether there is anything to draw over the picture. */
  get shows(): boolean {
    return this.objects.shows;
  }

  /** Draws outlines over the picture. */
  paint(canvas: HTMLCanvasElement, camera: Camera): void {
    this.objects.paint(canvas, camera);
  }
}
