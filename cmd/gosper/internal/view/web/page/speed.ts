// Speeds, as in Golly: 2^k times thirty generations a second. Up to sixty, each step is a generation; above, there are sixty
// steps a second, as many as screens show. The fastest is the full rate of the engine. The keys take the levels of a ladder, by
// twos up to 240 generations a second, by eights above. It does not depend on the measured rate, which comes late.

import { short } from "./numbers";

const middle = 30; // generations a second of level 0
const steps = 60; // a second, at most
const slowest = -5; // a generation a second
const fastest = 24;
/** The level above the fastest: the full rate of the engine. */
const flatOut = fastest + 1;

/** The levels that the keys take. */
const ladder = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 6, 9, 12, flatOut];

const answerTime = 5000; // ms in which a server says that it has another speed, if it takes it

export interface Speed {
  step: string;
  perSecond: number;
}

/** The speed that was asked for last, until the server says that it has it: statuses from before come in meanwhile, and another key must go on from there. */
export class Asked {
  private speed: Speed | null = null;
  private until = 0;

  ask(speed: Speed, now: number): void {
    this.speed = speed;
    this.until = now + answerTime;
  }

  /** Puts the speed that was asked for into a status that does not have it yet. */
  lay(s: Speed, now: number): void {
    if (!this.speed) return;
    const { step, perSecond } = this.speed;
    if (now > this.until || (s.step === step && s.perSecond === perSecond)) this.speed = null;
    else Object.assign(s, this.speed);
  }
}

/** The level of a speed. */
export function rungOf(s: Speed): number {
  const step = Number(s.step);
  if (step === 0) return flatOut;
  return Math.min(Math.max(Math.round(Math.log2((step * s.perSecond) / middle)), slowest), fastest);
}

/** The command for a level. */
export function speedOf(rung: number): Speed {
  rung = Math.min(Math.max(rung, slowest), flatOut);
  if (rung === flatOut) return { step: "0", perSecond: 0 };
  const perSecond = Math.min(middle * 2 ** rung, steps);
  return { step: String((middle * 2 ** rung) / perSecond), perSecond };
}

/** The next level of the ladder, up or down from a speed that may lie between two levels. */
export function nextRung(s: Speed, by: number): number {
  const rung = rungOf(s);
  const next = by > 0 ? ladder.find((level) => level > rung) : ladder.filter((level) => level < rung).at(-1);
  return next ?? rung;
}

/** The place of a speed on the ladder, counted from the slowest: that of its level or of the one below. */
export function placeOf(s: Speed): number {
  return ladder.filter((level) => level <= rungOf(s)).length - 1;
}

/** The speed at a place of the ladder. */
export function speedAt(place: number): Speed {
  return speedOf(ladder[place]!);
}

const most = middle * 2 ** fastest; // generations a second that can be typed

/** The speed that people mean by "5", "1k", "2.5 M/s" or "full"; null: by anything else. */
export function typedSpeed(text: string): Speed | null {
  if (/^(full|max)/i.test(text)) return speedOf(flatOut);
  const [, digits, prefix] = /^(\d*\.?\d+)([kMG]?)(?:gen)?(?:\/s)?$/i.exec(text.replace(/\s/g, "")) ?? [];
  const n = Number(digits) * 1000 ** " kmg".indexOf(prefix?.toLowerCase() || " ");
  if (!(n > 0)) return null;
  if (n > most) return speedOf(flatOut);
  const step = Math.ceil(n / steps);
  return { step: String(step), perSecond: n / step };
}

export function describe(s: Speed): string {
  const step = Number(s.step);
  return step === 0 ? "full speed" : short(step * s.perSecond) + "\u2009/\u2009s";
}
