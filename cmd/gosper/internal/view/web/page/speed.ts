// Speeds, as in Golly: 2^k times thirty generations a second. Up to sixty, each step is a generation; above, there are sixty steps a second, as many as
// screens show. The fastest is the full rate of the engine.

import type { Status } from "./link";
import { short } from "./numbers";

const middle = 30; // generations a second of level 0
const steps = 60; // a second, at most
const slowest = -5; // a generation a second
const fastest = 24;
/** The level above the fastest: the full rate of the engine. */
const flatOut = fastest + 1;

/** The level of a speed. */
export function rungOf(s: Pick<Status, "step" | "perSecond">): number {
  const step = Number(s.step);
  if (step === 0) return flatOut;
  return Math.min(Math.max(Math.round(Math.log2((step * s.perSecond) / middle)), slowest), fastest);
}

/** The command for a level. */
export function speedOf(rung: number): { step: string; perSecond: number } {
  rung = Math.min(Math.max(rung, slowest), flatOut);
  if (rung === flatOut) return { step: "0", perSecond: 0 };
  const perSecond = Math.min(middle * 2 ** rung, steps);
  return { step: String((middle * 2 ** rung) / perSecond), perSecond };
}

/** The next level. If a busy engine cannot go faster, the next level is its full rate. */
export function nextRung(s: Status, by: number): number {
  const rung = rungOf(s);
  const rate = Number(s.step) * s.perSecond;
  if (by > 0 && s.playing && s.rate > 0 && s.rate < 0.7 * rate) return flatOut;
  if (by < 0 && rung === flatOut && s.rate > 0) return Math.min(Math.floor(Math.log2(s.rate / middle)), fastest);
  return Math.min(Math.max(rung + by, slowest), flatOut);
}

export function describe(s: Status): string {
  const step = Number(s.step);
  return step === 0 ? "full speed" : short(step * s.perSecond) + "\u2009/\u2009s";
}
