// Time: playing and pausing, steps, speed, the way to a generation, and marks.

import type { Context } from "./context";
import type { Graph } from "./graph";
import type { Status } from "./link";
import { youth } from "./look";
import { Marks } from "./marks";
import { generationOf, grouped, lasting, short } from "./numbers";
import { element } from "./panel";
import { Asked, describe, nextRung, placeOf, speedAt, speedOf, typedSpeed, type Speed } from "./speed";

export class Playback {
  private asked = new Asked();
  private marks: Marks;
  private left: Status | null = null; // where the way to the target began
  private scrubbed: number | null = null; // the generation to go to next
  private leapt: string | null = null; // the generation from which the universe leaps so far that no age of a cell is known; null: it does not

  constructor(
    private page: Context,
    private graph: () => Graph,
  ) {
    this.marks = new Marks(page.name, localStorage);
    element("play").onclick = () => this.togglePlay();
    element("step").onclick = () => this.step();
    element("slower").onclick = () => this.changeSpeed(-1);
    element("faster").onclick = () => this.changeSpeed(1);
    const pace = element<HTMLInputElement>("pace");
    pace.oninput = () => this.runAt(speedAt(Number(pace.value)));
    const speed = element<HTMLInputElement>("speed");
    speed.onfocus = () => speed.select();
    speed.onchange = () => this.typeSpeed(speed.value);
    speed.onkeydown = (e) => e.key === "Enter" && speed.blur();
    speed.onblur = () => page.status && showSpeed(page.status);
  }

  /** Puts the speed that was asked for into a status that does not know it yet. */
  lay(s: Status): void {
    this.asked.lay(s, performance.now());
  }

  /** Goes on to the generation that was asked for last, if the universe has time now. */
  goOn(s: Status): void {
    if (this.scrubbed === null || s.playing || s.loading !== null) return;
    const to = this.scrubbed;
    this.scrubbed = null;
    this.scrub(to);
  }

  /** Whether a frame of a generation comes after a leap, so that it says nothing of the ages of cells. */
  leaps(generation: string): boolean {
    const leapt = this.leapt !== null;
    const s = this.page.status;
    if (s && this.leapt !== s.generation && !s.playing && s.loading === null && generation === s.generation) this.leapt = null;
    return leapt;
  }

  /** The leap was refused. */
  stay(): void {
    this.leapt = null;
  }

  togglePlay(): void {
    this.leapt = null;
    this.page.link.send({ do: this.page.status?.playing ? "pause" : "play" });
  }

  step(): void {
    const s = this.page.status;
    this.page.link.send(s?.playing && !s.stepping ? { do: "pause" } : { do: "step", n: "1" });
  }

  /** One step of the present speed, as Golly's Tab. */
  leap(): void {
    const s = this.page.status;
    if (s) this.page.link.send(s.playing && !s.stepping ? { do: "pause" } : { do: "step", n: s.step === "0" ? "1" : s.step });
  }

  /** Goes to a generation as people write it. */
  jumpTo(text: string): void {
    const generation = generationOf(text, this.page.status?.generation ?? "0");
    if (generation === null) this.page.notify(`“${text}” is no generation: 1000, 1e6 and +50 are.`, true);
    else this.jump(generation);
  }

  /** Goes to a generation of the timeline. While the page waits for one, only the last that was asked for is remembered. */
  scrub(generation: number): void {
    const s = this.page.status;
    if (!s || String(generation) === s.generation) return;
    if (s.playing && s.loading === null && !s.stepping) this.page.link.send({ do: "pause" });
    if (s.playing || s.loading !== null) {
      this.scrubbed = generation;
      return;
    }
    if (this.jump(String(generation))) s.loading = -1; // until the server says more
  }

  /** Has the server go to a generation. */
  jump(generation: string): boolean {
    const from = this.page.status?.generation ?? "0";
    this.leapt = Math.abs(Number(generation) - Number(from)) > youth ? from : null;
    return this.page.link.send({ do: "jump", generation });
  }

  stepBack(): void {
    const g = BigInt(this.page.status?.generation ?? "0");
    if (this.page.status?.playing) this.page.link.send({ do: "pause" });
    else if (g > 0n) this.page.link.send({ do: "jump", generation: String(g - 1n) });
  }

  /** Marks this generation and this view, or takes the mark away. */
  mark(): void {
    const s = this.page.status;
    if (!s) return;
    this.marks.flip(s, this.page.camera.destination());
    this.showMarks(s);
  }

  showMarks(s: Status): void {
    const all = this.marks.of(s);
    this.graph().at(
      Number(s.generation),
      all.map((m) => Number(m.generation)),
    );
    element<HTMLButtonElement>("back").disabled = s.generation === "0";
    element("mark").ariaPressed = String(all.some((m) => m.generation === s.generation));
    const list = element("marks");
    const wanted = all.map((m) => m.generation).join();
    if (list.dataset.shown === wanted) return;
    list.dataset.shown = wanted;
    list.replaceChildren(
      ...all.map((m) => {
        const chip = document.createElement("button");
        chip.type = "button";
        chip.textContent = grouped(m.generation);
        chip.ariaLabel = chip.title = `Go to generation ${grouped(m.generation)}, as it was looked at`;
        chip.onclick = () => {
          this.jump(m.generation);
          this.page.camera.goTo(m.at);
        };
        return chip;
      }),
    );
  }

  changeSpeed(by: number): void {
    if (this.page.status) this.runAt(speedOf(nextRung(this.page.status, by)));
  }

  private typeSpeed(text: string): void {
    const next = typedSpeed(text);
    if (next) this.runAt(next);
    else this.page.notify(`“${text}” is no speed: 5, 1k, 2.5M and full are.`, true);
  }

  private runAt(next: Speed): void {
    if (!this.page.status || !this.page.link.send({ do: "speed", ...next })) return;
    this.asked.ask(next, performance.now());
    Object.assign(this.page.status, next);
    showSpeed(next);
  }

  /** Says how far it is to the generation that somebody goes to. */
  showWay(s: Status): void {
    const { target } = s;
    element("going").hidden = !target;
    if (!target) return void (this.left = null);
    if (this.left?.target !== target || this.left.universe !== s.universe) this.left = s;
    const done = Number(s.generation) - Number(this.left.generation);
    const ahead = Number(target) - Number(s.generation);
    const pace = s.rate > 0 ? ` · ${short(s.rate)}\u2009gen/s · ${lasting(ahead / s.rate)} left` : "";
    element("way").textContent = `to ${grouped(target)} · ${Math.floor((100 * done) / (done + ahead))}\u2009%${pace}`;
  }
}

/** Shows a speed, unless another one is being typed. */
export function showSpeed(s: Speed): void {
  const [pace, speed] = [element<HTMLInputElement>("pace"), element<HTMLInputElement>("speed")];
  const text = describe(s);
  if (document.activeElement !== speed) speed.value = text;
  pace.value = String(placeOf(s));
  pace.setAttribute("aria-valuetext", text);
}
