// The colours of the picture, from the style sheet, so that light and dark are decided in one place.

import type { Look, RGB } from "./renderer";

export function readLook(ages: boolean, grid: boolean, invert: boolean): Look {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => parse(style.getPropertyValue(name));
  const [paper, ink] = invert ? [colour("--ink"), colour("--paper")] : [colour("--paper"), colour("--ink")];
  return { paper, ink, accent: colour("--accent"), beyond: colour("--beyond"), ages, grid };
}

function parse(hex: string): RGB {
  const n = parseInt(hex.trim().slice(1), 16);
  return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}
