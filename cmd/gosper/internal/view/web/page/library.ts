// The library: well-known patterns and those of a folder of one's own, found by their names and by what they are.

import { Combo, found } from "./combo";

export interface NamedPattern {
  name: string;
  title: string;
  rule: string;
  comment: string;
}

/** A pattern of the library: a well-known one, or a file. */
interface Entry {
  title: string;
  note: string;
  words: string;
  open(): void;
}

const suffixes = /\.(rle|mc|cells|lif|life|mcl|npy|png)(\.gz)?$/i;

export class Library {
  private known: Entry[] = [];
  private own: Entry[] = [];
  private combo: Combo<Entry>;

  /** builtin is told of the well-known pattern that is chosen, file of the file. */
  constructor(
    input: HTMLInputElement,
    list: HTMLUListElement,
    private builtin: (name: string) => void,
    private file: (data: Uint8Array<ArrayBuffer>) => void,
    private problem: (text: string) => void,
  ) {
    const of = {
      all: () => [...this.own, ...this.known],
      name: (e: Entry) => e.title,
      note: (e: Entry) => e.note,
      words: (e: Entry) => e.words,
      take: (e: Entry) => e.open(),
      typed: (text: string) => {
        const [first, second] = found(of, text);
        if (!first) this.problem(`There is no pattern “${text}” in the library.`);
        else if (!second || first.title.toLowerCase() === text.toLowerCase()) this.combo.choose(first);
        else this.combo.offer(text);
      },
    };
    this.combo = new Combo(input, list, of);
  }

  set catalogue(patterns: NamedPattern[]) {
    this.known = patterns.map((p) => ({
      title: p.title,
      note: p.comment,
      words: `${p.title} ${p.name} ${p.comment} ${p.rule}`,
      open: () => this.builtin(p.name),
    }));
    this.combo.renew();
  }

  /** Takes the pattern files of a folder; returns how many there are. */
  takeFolder(files: Iterable<File>): number {
    this.own = [...files]
      .filter((f) => suffixes.test(f.name))
      .map((f) => ({
        title: f.name,
        note: f.webkitRelativePath || f.name,
        words: f.webkitRelativePath || f.name,
        open: () => void f.arrayBuffer().then((data) => this.file(new Uint8Array(data)), () => this.problem(`${f.name} cannot be read any more.`)),
      }))
      .sort((a, b) => a.note.localeCompare(b.note));
    this.combo.renew();
    return this.own.length;
  }
}
