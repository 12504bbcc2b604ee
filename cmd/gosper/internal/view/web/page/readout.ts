// The numbers of a universe in the line below it, and what the controls beside them say.

import type { Status } from "./link";
import { grouped, short } from "./numbers";
import { element } from "./panel";
import { showSpeed } from "./playback";

export function showReadout(s: Status): void {
  const readout = element("readout");
  setReadout(readout, s, old(s));
  readout.dataset.generation = s.generation;
  readout.dataset.population = s.population;
  readout.dataset.counted = s.counted;
  readout.dataset.playing = String(s.playing);
  readout.dataset.edited = String(s.edited);
  const rule = s.ruleName || s.rule.split(":")[0]!;
  element("rule-name").textContent = rule;
  element("rule-name").title = `${s.rule}: choose another rule`;
  element("pattern-name").textContent = s.name;
  element("pattern-name").hidden = !s.name;
  document.title = `${s.name || rule} · Gosper`;
  element("play-icon").setAttribute("href", s.playing ? "#i-pause" : "#i-play");
  element("play").ariaLabel = s.playing ? "Pause" : "Play";
  showSpeed(s);
  element<HTMLButtonElement>("undo").disabled = !s.undo;
  element<HTMLButtonElement>("redo").disabled = !s.redo;
}

/** The generation whose population is shown, where it was so long ago that the number says little of the present; else empty. */
function old(s: Status): string {
  const passed = Number(s.generation) - Number(s.counted);
  return passed > Math.max(1, s.rate, Number(s.generation) / 100) ? s.counted : "";
}

/** Writes the line of numbers into the elements that it already has. */
function setReadout(into: HTMLElement, s: Status, counted: string): void {
  if (into.childElementCount === 0) {
    const make = (tag: string, text: string, kind: string) => Object.assign(document.createElement(tag), { textContent: text, className: kind });
    const words = (long: string, short: string) => [make("span", long + " ", "long"), make("span", short + " ", "short")];
    into.append(...words("generation", "gen"), make("b", "", ""), " · ", ...words("population", "pop"), make("b", "", ""), make("span", "", ""), make("span", "", "long"));
  }
  const [g, p] = into.querySelectorAll("b");
  g!.textContent = grouped(s.generation);
  p!.textContent = short(Number(s.population));
  p!.nextElementSibling!.textContent = counted && ` at ${grouped(counted)}`;
  into.lastElementChild!.textContent = s.playing && s.rate > 0 ? ` · ${short(s.rate)}\u2009gen/s` : "";
}

