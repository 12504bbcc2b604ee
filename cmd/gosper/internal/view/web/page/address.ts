// The address of the page: the universe that it asks for, and where to look in it.

import type { Context } from "./context";
import type { Status } from "./link";
import { orderOf, readPermalink, unpack, type Permalink } from "./permalink";
import type { Playback } from "./playback";

export class Address {
  private wanted: Permalink | null = readPermalink(location.hash);
  private destination: string | null = null; // the generation to go to when the universe of the address is there

  /** look is told where to look: now, or when the universe of the address is there. */
  constructor(
    private page: Context,
    private playback: Playback,
    private look: (at: Permalink, now: boolean) => void,
  ) {}

  /** Reads the address again. */
  read(): void {
    this.wanted = readPermalink(location.hash);
  }

  /** Asks for what the address says, as soon as the server has a universe. */
  visit(s: Status): void {
    const want = this.wanted;
    if (!want || s.loaded === "0" || s.loading !== null) return;
    this.wanted = null;
    if (this.page.name) history.replaceState(null, "", location.pathname); // the address is that of the session, also if another universe comes later
    this.look(want, !!this.page.about?.watch || !this.follow(want, s));
  }

  /** Another universe is shown. */
  turned(): void {
    if (this.destination !== null) this.playback.jump(this.destination);
    this.destination = null;
  }

  /** The universe that was asked for will not come. */
  forget(): void {
    this.destination = null;
  }

  /** Has the server show what the address asks for; false: another universe will not come. */
  private follow(want: Permalink, s: Status): boolean {
    if (want.rle && !want.start) {
      unpack(want.rle, want.rule).then(
        (bytes) => {
          if (this.page.link.sendPattern(bytes)) this.destination = want.generation ?? null;
        },
        () => this.page.notify("The cells in the link cannot be read: a part of it may be missing.", true),
      );
      return true;
    }
    const order = orderOf(want);
    if (order) {
      const soup = s.soup && s.soup.seed === want.seed && s.soup.density === (want.density ?? 0.5) && s.soup.start === (want.start ?? "soup");
      const same = want.seed !== undefined ? soup : s.builtin === want.pattern;
      if (!same || s.edited || (want.rule && want.rule !== s.rule)) {
        this.page.link.send(order);
        return true;
      }
      const { generation = "0" } = want;
      if (s.generation !== generation) this.playback.jump(generation);
    } else if (want.rule && want.rule !== s.rule) this.page.link.send({ do: "rule", rule: want.rule });
    return false;
  }
}
