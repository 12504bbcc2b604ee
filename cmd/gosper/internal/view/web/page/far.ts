// Channels of a universe from far away, where a pixel is a block of cells: what is shown besides their density. Also the way to active places.

import type { Rect } from "./camera";
import type { Places, Status } from "./link";
import { grouped } from "./numbers";

/** The requests of the channels. */
export interface FarOrders {
  /** The channel has changed. */
  look(): void;
  goTo(at: Rect): void;
  ask(what: "places" | "sizes"): boolean;
  say(text: string): void;
}

/** The meaning of the two ends of the scale. */
const legends: { [channel: string]: [string, string] } = {
  activity: ["least", "most changing"],
  quiet: ["quiet for long", "changed just now"],
  age: ["oldest", "newborn"],
  clusters: ["smallest", "largest cluster"],
};

const sizesEvery = 3000; // ms, while a universe plays

export class Far {
  private visited: Rect[] = [];
  private asked = ""; // of which cells the sizes were asked for last
  private since = 0; // when
  private waits = false; // for sizes

  constructor(
    private choice: HTMLSelectElement,
    next: HTMLButtonElement,
    private legend: HTMLElement,
    private note: HTMLElement,
    private orders: FarOrders,
  ) {
    choice.onchange = () => this.show();
    next.onclick = () => this.next();
    this.show();
  }

  get channel(): string {
    return this.choice.value;
  }

  /** Goes through the channels. */
  turn(by: number): void {
    const n = this.choice.options.length;
    this.choice.selectedIndex = (this.choice.selectedIndex + by + n) % n;
    this.show();
  }

  /** Goes to the most active place that it has not gone to. */
  next(): void {
    this.orders.ask("places");
  }

  private show(): void {
    const ends = legends[this.channel];
    this.legend.hidden = !ends;
    if (ends) [this.legend.firstElementChild!.textContent, this.legend.lastElementChild!.textContent] = ends;
    this.note.textContent = "";
    this.asked = "";
    this.orders.look();
  }

  /** Another universe: nothing is known of it. */
  forget(): void {
    this.visited = [];
    this.note.textContent = "";
  }

  /** Asks for the sizes of clusters when they are shown and out of date. */
  seek(s: Status, cells: string): void {
    if (this.channel !== "clusters" || this.waits || s.loading !== null || cells === this.asked) return;
    const now = performance.now();
    if (s.playing && now - this.since < sizesEvery) return;
    this.waits = this.orders.ask("sizes");
    [this.asked, this.since] = [cells, now];
  }

  /** The sizes are there. */
  sized(largest: number): void {
    this.waits = false;
    if (this.channel === "clusters") this.note.textContent = `The largest cluster has ${grouped(largest)} cells.`;
  }

  /** Something was refused, perhaps the sizes. */
  refused(): void {
    if (!this.waits) return;
    this.waits = false;
    this.choice.selectedIndex = 0;
    this.show();
  }

  take(p: Places): void {
    if (p.generation === "0") {
      this.orders.say("Activity has not been measured yet: play for a moment.");
      return;
    }
    const to = follow(p.at, this.visited);
    if (to < 0) {
      this.note.textContent = "Nothing but still lifes and short oscillators.";
      this.orders.say(this.note.textContent);
      return;
    }
    const [x, y, w, h, changed] = p.at[to]!;
    this.note.textContent = `${grouped(changed)} cells change here, at ${to + 1} of ${grouped(p.at.length)} active places, as of generation ${grouped(p.generation)}.`;
    this.orders.goTo({ x, y, w, h });
  }
}

/** The first place that was not visited, which it then is; the first of all if every one was. Below 0: there is none. */
export function follow(at: Places["at"], visited: Rect[]): number {
  if (at.length === 0) return -1;
  let i = at.findIndex(([x, y, w, h]) => !visited.some((v) => x < v.x + v.w && v.x < x + w && y < v.y + v.h && v.y < y + h));
  if (i < 0) {
    visited.length = 0;
    i = 0;
  }
  const [x, y, w, h] = at[i]!;
  visited.push({ x, y, w, h });
  return i;
}
