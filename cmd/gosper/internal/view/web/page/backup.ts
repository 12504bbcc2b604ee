// The cells of a universe, as the page keeps them in case the server loses them.

import type { Context } from "./context";
import type { Status } from "./link";
import { element, save } from "./panel";

const longestCells = 100_000; // live cells of what is copied
const largestBox = 2 ** 24; // cells around them
const restFor = 1000; // ms between two copies

/** The last copy: RLE of the universe that the server knows by this name. */
interface Copy {
  name: string; // of the session
  universe: string;
  cells: string;
}

export class Backup {
  private copy: Copy | null = null;
  private asked = ""; // the cells that the last copy was asked for
  private at = 0; // when that was
  private returns = false; // the copy is to be loaded as soon as the server has a universe

  /** ask has the server send all cells. again makes a new universe in the place of one that is gone. */
  constructor(
    private page: Context,
    private ask: (then: (rle: string) => void) => void,
    private open: (rle: string) => void,
    private again: () => void,
  ) {
    const tab = sessionStorage.getItem("copy"); // the page may have been loaded again
    if (tab) this.copy = JSON.parse(tab) as Copy;
    element("keep-lost").onclick = () => save(new Blob([this.copy!.cells], { type: "text/plain" }), "gosper.rle");
    element("load-lost").onclick = () => {
      this.hide();
      if (this.page.link.isOpen) return this.open(this.copy!.cells);
      this.returns = true;
      this.again();
    };
    element("drop-lost").onclick = () => this.hide();
  }

  /** Asks for a copy of cells at rest, and of those that somebody has changed, unless they are many. */
  seek(s: Status, now: number): void {
    if (s.loaded === "0" || s.loading !== null) return;
    if (this.returns) {
      this.returns = false;
      this.open(this.copy!.cells);
    }
    const [, , w, h] = s.box;
    const of = `${s.universe} ${s.drawn} ${s.rule}`;
    const cells = s.playing ? of : `${of} ${s.generation}`;
    const done = s.playing ? this.asked.startsWith(of) : this.asked === cells;
    if (done || s.counted !== s.generation || Number(s.population) > longestCells || w * h > largestBox) return;
    if (now - this.at < restFor || this.page.about?.watch || !element("lost").hidden) return;
    this.at = now;
    this.asked = cells;
    this.ask((rle) => {
      this.copy = { name: this.page.name, universe: s.universe, cells: rle };
      if (this.page.name) sessionStorage.setItem("copy", JSON.stringify(this.copy));
    });
  }

  /** Nothing that was asked for will come. */
  forget(): void {
    this.asked = "";
  }

  /** Offers the copy of a universe that is lost, if there is one; universe: any of this session if it is empty. */
  offer(universe: string): void {
    const { copy } = this;
    if (!this.returns && copy?.name === this.page.name && (!universe || copy.universe === universe)) element("lost").hidden = false;
  }

  private hide(): void {
    element("lost").hidden = true;
  }
}
