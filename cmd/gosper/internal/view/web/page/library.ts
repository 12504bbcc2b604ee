// The library: well-known patterns and those of a folder of one's own, found by their names and by what they are, with pictures.

import { Combo, found } from "./combo";
import { readLook } from "./look";
import { draw, pictureOf, rle, runsOf, type Picture } from "./picture";

export interface NamedPattern {
  name: string;
  title: string;
  kind: string; // one of the list of kinds
  rule: string;
  comment: string;
  cells: string; // as RLE without a header
}

/** A pattern of the library: a well-known one, or a file. */
interface Entry {
  title: string;
  note: string;
  words: string;
  kind: string;
  open(): void;
  picture(size: number): Promise<Picture | null>;
}

const own = "own"; // the kind of what is in a folder of one's own
const pictureSide = 44; // CSS pixels (page.css)
const mostDrawn = 2 ** 20; // bytes of a file that has a picture
const suffixes = /\.(rle|mc|cells|lif|life|mcl|npy|png|rle3)(\.gz)?$/i;

/** Whether a file is a pattern, by its name. */
export function isPattern(name: string): boolean {
  return suffixes.test(name);
}

export class Library {
  private known: Entry[] = [];
  private own: Entry[] = [];
  private combo: Combo<Entry>;
  private typed: (text: string) => void;
  private early = ""; // what was typed before the well-known patterns were there

  /** kinds chooses what is offered. builtin is told of the well-known pattern that is chosen, file of the file. */
  constructor(
    input: HTMLInputElement,
    list: HTMLUListElement,
    private kinds: HTMLSelectElement,
    private builtin: (name: string) => void,
    private file: (data: Uint8Array<ArrayBuffer>) => void,
    private problem: (text: string) => void,
  ) {
    const of = {
      all: () => [...this.own, ...this.known].filter((e) => !kinds.value || e.kind === kinds.value),
      name: (e: Entry) => e.title,
      note: (e: Entry) => e.note,
      words: (e: Entry) => e.words,
      draw: (e: Entry, canvas: HTMLCanvasElement) =>
        void e.picture(Math.round(pictureSide * Math.min(devicePixelRatio, 2))).then((p) => p && draw(p, canvas, readLook(false, false, false, null)), () => {}),
      take: (e: Entry) => e.open(),
      typed: (text: string) => {
        this.early = "";
        const [first, second] = found(of, text);
        if (!first && this.known.length === 0) this.early = text;
        else if (!first) this.problem(`There is no pattern “${text}” in the library.`);
        else if (!second || first.title.toLowerCase() === text.toLowerCase()) this.combo.choose(first);
        else this.combo.offer(text);
      },
    };
    this.typed = of.typed;
    this.combo = new Combo(input, list, of);
    kinds.onchange = () => {
      input.value = "";
      this.combo.offer("");
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.combo.renew());
  }

  set catalogue(patterns: NamedPattern[]) {
    this.known = patterns.map((p) => ({
      title: p.title,
      note: p.comment,
      words: `${p.title} ${p.name} ${p.kind} ${p.comment} ${p.rule}`,
      kind: p.kind,
      open: () => this.builtin(p.name),
      picture: async (size) => pictureOf(rle(p.cells), size),
    }));
    this.combo.renew();
    if (this.early) this.typed(this.early);
  }

  /** Takes the pattern files of a folder; returns how many there are. */
  takeFolder(files: Iterable<File>): number {
    this.own = [...files]
      .filter((f) => isPattern(f.name))
      .map((f) => ({
        title: f.name,
        note: f.webkitRelativePath || f.name,
        words: f.webkitRelativePath || f.name,
        kind: own,
        picture: async (size: number) => {
          const runs = f.size <= mostDrawn && runsOf(await textOf(f), f.name.replace(/\.gz$/i, ""));
          return runs ? pictureOf(runs, size) : null;
        },
        open: () => void f.arrayBuffer().then((data) => this.file(new Uint8Array(data)), () => this.problem(`${f.name} cannot be read any more.`)),
      }))
      .sort((a, b) => a.note.localeCompare(b.note));
    this.kinds.querySelector<HTMLOptionElement>(`[value="${own}"]`)!.hidden = this.own.length === 0;
    this.combo.renew();
    return this.own.length;
  }
}

/** The text of a file that may be gzipped. */
function textOf(f: File): Promise<string> {
  return new Response(/\.gz$/i.test(f.name) ? f.stream().pipeThrough(new DecompressionStream("gzip")) : f).text();
}
