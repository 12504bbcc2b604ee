// The objects of a universe at rest: outlines over the picture, a table in the panel, what one object is.

import type { Camera, Rect } from "./camera";
import { grouped } from "./numbers";

/** What objects of one shape have in common. */
export interface Kind {
  code: string; // apgcode; empty for cells that become something else
  name: string; // empty: it has none
  class: string;
  period: number; // 0: it has none
  moves: [number, number]; // cells in a period, the greater first
  count: number;
}

/** The list of objects that the server sends. */
export interface ObjectList {
  generation: string;
  kinds: Kind[]; // the commonest first
  at: [number, number, number, number, number][]; // x, y, w, h, number of the kind
}

/** The requests of the table. */
export interface Finder {
  /** Goes to an object. */
  look(at: Rect): void;
  /** Something else is to be drawn. */
  redraw(): void;
}

/** An outline of fewer pixels each way is drawn larger. */
const leastOutline = 9;
/** Cells of fewer pixels have no outlines but those of the kind that was chosen. */
const leastCell = 1.5;

const classes: { [name: string]: string } = { "still life": "--still", oscillator: "--oscillator", spaceship: "--spaceship" };

export class Objects {
  private list: ObjectList | null = null;
  private current = false; // the list is of what is shown
  private kind = -1; // the kind that was chosen
  private chosen = -1; // the object that was chosen
  private asked: { x: number; y: number; generation: string } | null = null; // the cell that was clicked before the objects there were known
  private rule = ""; // as Catalogue names it

  constructor(
    private table: HTMLTableSectionElement,
    private note: HTMLElement,
    private finder: Finder,
  ) {}

  /** Takes what was found under a rule, and whether that is what is shown still. */
  take(list: ObjectList, rule: string, current: boolean): void {
    const was = this.list?.kinds[this.kind]?.code;
    this.list = list;
    this.rule = rule.split(":")[0]!.toLowerCase().replaceAll("/", "");
    this.current = current;
    this.chosen = -1;
    this.kind = was ? list.kinds.findIndex((k) => k.code === was) : -1;
    if (current) this.answer();
    this.show();
  }

  /** The universe goes on: outlines would be wrong. */
  outdate(): void {
    if (!this.current) return;
    this.current = false;
    this.finder.redraw();
  }

  clear(): void {
    this.list = null;
    this.current = false;
    this.kind = this.chosen = -1;
    this.asked = null;
    this.show();
  }

  /** Chooses the object at a cell of a generation, or none; if the objects are not known yet, when they are. */
  pick(x: number, y: number, generation: string): void {
    this.asked = { x, y, generation };
    if (!this.current) return;
    this.answer();
    this.show();
  }

  /** Chooses what was clicked, if that was a cell of the objects that are known. */
  private answer(): void {
    const { list, asked } = this;
    this.asked = null;
    if (!list || asked?.generation !== list.generation) return;
    const { x, y } = asked;
    this.chosen = list.at.findIndex(([ox, oy, w, h]) => x >= ox && y >= oy && x < ox + w && y < oy + h);
    this.kind = list.at[this.chosen]?.[4] ?? -1;
  }

  /** Goes to an object of the rarest kind, the next one each time. */
  rarest(): void {
    const kinds = this.list?.kinds ?? [];
    let rare = -1;
    kinds.forEach((k, i) => {
      if (k.period > 0 && (rare < 0 || k.count <= kinds[rare]!.count)) rare = i;
    });
    if (rare >= 0) this.next(rare);
  }

  /** Goes to the next object of a kind. */
  private next(kind: number): void {
    const { list } = this;
    if (!list) return;
    const from = this.kind === kind ? this.chosen : -1;
    const follows = (i: number) => list.at[i]![4] === kind;
    const all = list.at.map((_, i) => i).filter(follows);
    this.kind = kind;
    this.chosen = all.find((i) => i > from) ?? all[0] ?? -1;
    const o = list.at[this.chosen];
    if (o) this.finder.look({ x: o[0], y: o[1], w: o[2], h: o[3] });
    this.show();
  }

  private show(): void {
    const { list } = this;
    const kinds = list?.kinds ?? [];
    this.table.closest<HTMLElement>(".kinds")!.hidden = kinds.length === 0;
    this.table.replaceChildren(
      ...kinds.map((k, i) => {
        const row = document.createElement("tr");
        row.ariaCurrent = String(i === this.kind);
        const [name, what, count] = ["td", "td", "td"].map((tag) => document.createElement(tag));
        const swatch = document.createElement("span");
        swatch.className = "swatch";
        swatch.style.background = `var(${colourOf(k)})`;
        const go = document.createElement("button");
        go.type = "button";
        go.className = "quiet";
        go.textContent = nameOf(k);
        go.title = `${k.code || k.class}: go to the next`;
        row.onclick = () => this.next(i);
        name!.append(swatch, go);
        what!.textContent = whatOf(k);
        count!.textContent = grouped(k.count);
        row.append(name!, what!, count!);
        return row;
      }),
    );
    this.table.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
    this.describe();
    this.finder.redraw();
  }

  /** Says what the chosen object is, or how many there are. */
  private describe(): void {
    const { list } = this;
    if (!list) {
      this.note.textContent = "";
      return;
    }
    const k = list.kinds[this.kind];
    if (!k) {
      this.note.textContent = `${grouped(list.at.length)} of ${grouped(list.kinds.length)} ${list.kinds.length === 1 ? "kind" : "kinds"}, at generation ${grouped(list.generation)}`;
      return;
    }
    const words = [k.name, k.class, k.period > 1 ? `period ${k.period}` : "", speedOf(k)].filter(Boolean);
    if (k.name === k.class) words.shift();
    this.note.replaceChildren(words.join(", "));
    if (!/^(x[spq]|yl)\d+_/.test(k.code)) return;
    const link = document.createElement("a");
    Object.assign(link, { href: `https://catagolue.hatsya.com/object/${k.code}/${this.rule}`, target: "_blank", rel: "noopener noreferrer", textContent: k.code });
    link.title = "What Catagolue has on it";
    this.note.append(" ", link);
  }

  /** Whether there is anything to draw over the picture. */
  get shows(): boolean {
    return this.list !== null && this.current;
  }

  /** Draws outlines over the picture. */
  paint(canvas: HTMLCanvasElement, camera: Camera): void {
    const { list } = this;
    if (!list || !this.current) return;
    const c = canvas.getContext("2d")!;
    const style = getComputedStyle(document.documentElement);
    const colours = list.kinds.map((k) => style.getPropertyValue(colourOf(k)));
    const { zoom } = camera.now;
    const view = camera.visible();
    const sharp = Math.max(devicePixelRatio, 1);
    c.setLineDash([]);
    c.setTransform(...camera.flat);
    list.at.forEach(([x, y, w, h, kind], i) => {
      if (zoom < leastCell && kind !== this.kind) return;
      if (x > view.x + view.w || y > view.y + view.h || x + w < view.x || y + h < view.y) return;
      const room = Math.max((leastOutline * sharp - Math.min(w, h) * zoom) / 2, 0.2 * zoom, 2 * sharp);
      c.lineWidth = (i === this.chosen ? 3 : 1.25) * sharp;
      c.strokeStyle = colours[kind]!;
      c.globalAlpha = this.kind < 0 || kind === this.kind ? 1 : 0.45;
      c.beginPath();
      c.roundRect((x - view.x) * zoom - room, (y - view.y) * zoom - room, w * zoom + 2 * room, h * zoom + 2 * room, 3 * sharp);
      c.stroke();
    });
    c.globalAlpha = 1;
  }
}

function colourOf(k: Kind): string {
  return classes[k.class] ?? "--restless";
}

/** What people call a kind. */
export function nameOf(k: Kind): string {
  return k.name || (k.period > 0 && k.code) || k.class;
}

function whatOf(k: Kind): string {
  return speedOf(k) || (k.period > 1 ? `p${k.period}` : "");
}

/** The velocity of a spaceship: c/4 diagonal, c/2, (2,1)c/6. Empty for others. */
export function speedOf(k: Kind): string {
  const [a, b] = k.moves;
  if (a === 0) return "";
  if (b !== 0 && a !== b) return `(${a},${b})c/${k.period}`;
  const d = divisor(a, k.period);
  const cells = a / d === 1 ? "" : String(a / d);
  return `${cells}c/${k.period / d}${b === 0 ? "" : " diagonal"}`;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
