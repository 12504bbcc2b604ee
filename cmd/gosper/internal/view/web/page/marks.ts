// Generations to come back to, and what was looked at then. The browser keeps them: they are there again when the page is reloaded, and when a session
// comes back from a file.

import type { Place } from "./camera";
import type { Status } from "./link";

/** A generation to come back to, and the view of it. */
export interface Mark {
  generation: string;
  at: Place;
}

const stored = "marks"; // the name in the browser's storage
const mostUniverses = 50; // whose marks are kept

/** A store of texts in the browser. */
export type Store = Pick<Storage, "getItem" | "setItem">;

export class Marks {
  private passing = new Map<string, Mark[]>(); // by universe: of those that have no names

  /** session is the name of the session. */
  constructor(
    private session: string,
    private store: Store,
  ) {}

  /** The marks of a universe, in order. */
  of(s: Status): Mark[] {
    const name = nameOf(this.session, s);
    return (name ? this.kept().find(([n]) => n === name)?.[1] : this.passing.get(s.universe)) ?? [];
  }

  /** Marks this generation of a universe, or takes the mark away. */
  flip(s: Status, at: Place): void {
    const all = this.of(s);
    const others = all.filter((m) => m.generation !== s.generation);
    if (others.length === all.length) others.push({ generation: s.generation, at });
    others.sort((a, b) => Number(a.generation) - Number(b.generation));
    const name = nameOf(this.session, s);
    if (!name) return void this.passing.set(s.universe, others);
    const rest = this.kept().filter(([n]) => n !== name);
    if (others.length > 0) rest.push([name, others]);
    this.store.setItem(stored, JSON.stringify(rest.slice(-mostUniverses)));
  }

  /** The marks of all universes that have names, the latest last. */
  private kept(): [string, Mark[]][] {
    try {
      return JSON.parse(this.store.getItem(stored) ?? "[]") as [string, Mark[]][];
    } catch {
      return []; // somebody else's
    }
  }
}

/** What tells a universe from others for good; empty for one at the server's own address that is neither a soup nor a known pattern. */
function nameOf(session: string, s: Status): string {
  if (!session && !s.soup && !s.builtin) return "";
  const name = s.name.replace(/, edited$/, ""); // a universe keeps its marks when it is edited
  return JSON.stringify([session, s.width, s.height, name, s.soup && [s.soup.seed, s.soup.density, s.soup.start, s.soup.width, s.soup.height]]);
}
