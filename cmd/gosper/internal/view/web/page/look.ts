// The colours of the picture: those of the style sheet, so that light and dark are decided in one place, mixed by state and age.

export interface Look {
  paper: RGB; // dead cells
  ink: RGB; // live cells
  accent: RGB; // cells just born
  beyond: RGB; // outside the universe
  ages: boolean;
  grid: boolean;
  states: RGB[]; // of the states of a rule file; empty for other rules
  // of a theme, for old live cells, cells just dead and the last of dying states; undefined: they follow from the others
  old?: RGB;
  died?: RGB;
  dying?: RGB;
  history?: RGB; // of cells that have died long ago; undefined: that of dead cells
}

/** A look in the colours of a script. */
export function recoloured(look: Look, of: { [name: string]: string }): Look {
  const c = (name: string, or: RGB) => (of[name] ? parse(of[name]) : or);
  const accent = c("ALIVE", look.accent);
  const ink = c("ALIVERAMP", c("ALIVE", look.ink));
  const old = of.ALIVERAMP || of.ALIVE ? ink : look.old;
  const died = of.DEAD ? parse(of.DEAD) : look.died;
  const history = of.DEADRAMP ? parse(of.DEADRAMP) : look.history;
  const states = Object.entries(of).reduce((all, [name, colour]) => {
    if (/^\d/.test(name) && Number(name) < all.length) all[Number(name)] = parse(colour);
    return all;
  }, [...look.states]);
  return { ...look, paper: c("BACKGROUND", look.paper), beyond: c("BOUNDED", look.beyond), accent, ink, old, died, history, states };
}

/** The themes of the command line (view/scene/theme.go): dead, live, newborn, old, died, dying. */
const themes: { [name: string]: string } = {
  dark: "#0b0e14 #ffd75f #fff7d6 #df6a20 #24477f #8a1f3d",
  light: "#ffffff #17324d #2f8fd8 #0d1b2a #f3cdb9 #f0b429",
  green: "#03110a #87ff87 #eafff0 #1f9d55 #0f4a35 #0b5d3b",
  grey: "#000000 #ffffff #ffffff #8a8a8a #3a3a3a #404040",
  contrast: "#000000 #ffffff #ffff00 #ffffff #303030 #00ffff",
  mono: "#000000 #ffffff #ffffff #ffffff #000000 #808080",
  blues: "#000000 #00ffff #00ffff #ffffff #0000a0 #0000a0",
  fire: "#000000 #ff9000 #ff9000 #ffff00 #a00000 #a00000",
  poison: "#000000 #00ffff #00ffff #ffffff #008000 #008000",
  yellow: "#000000 #ffff00 #ffff00 #ffffff #806000 #806000",
  ocean: "#001020 #4fc3f7 #4fc3f7 #e0ffff #005f7f #005f7f",
  ice: "#102030 #bfe6ff #bfe6ff #ffffff #3f6f8f #3f6f8f",
  red: "#000000 #ff4040 #ff4040 #ffc0c0 #700000 #700000",
  book: "#ffffff #000000 #000000 #000000 #ffffff #808080",
  "colour-blind": "#ffffff #005faf #e69f00 #0072b2 #f5dfb0 #cc79a7",
};

/** Whether the cells of a theme are light on dark; undefined: it follows the system. */
export function isDark(theme: string): boolean | undefined {
  return theme in themes ? themes[theme]! < "#1" : undefined;
}

/** Red, green and blue from 0 to 1. */
export type RGB = [number, number, number];

/** Reads the style sheet, as it is for an element. */
export function readLook(ages: boolean, grid: boolean, invert: boolean, states: string[] | null, of: Element = document.documentElement, theme = ""): Look {
  const style = getComputedStyle(of);
  const colour = (name: string) => parse(style.getPropertyValue(name));
  const [paper, ink] = invert ? [colour("--ink"), colour("--paper")] : [colour("--paper"), colour("--ink")];
  const look = { paper, ink, accent: colour("--accent"), beyond: colour("--beyond"), ages, grid, states: (states ?? []).map(parse) };
  const [dead, live, accent, old, died, dying] = themes[theme]?.split(" ").map(parse) ?? [];
  if (!dead || !live || !accent) return look;
  const beyond = mix(dead, live, 0.12);
  return invert ? { ...look, paper: live, ink: dead, accent, beyond } : { ...look, paper: dead, ink: live, accent, beyond, old, died, dying };
}

/** What samples are that are no states. */
export const densities = 0;
export const levels = -1;

/** The number of values of the samples of a frame: states, densities, or levels of a channel with densities. */
export function meaningOf(f: { density: boolean; channel: boolean }, states: number): number {
  return f.channel ? levels : f.density ? densities : states;
}

/** The colours of all samples, RGBA: 256 ages a row, a row a value. Densities are 0 to 15. */
export function palette(look: Look, states: number): Uint8Array {
  const bytes = new Uint8Array(4 * 256 * 256);
  for (let value = 0; value < 256; value++) {
    for (let age = 0; age < 256; age++) {
      const c = shade(look, states, value, age);
      bytes.set([255 * c[0] + 0.5, 255 * c[1] + 0.5, 255 * c[2] + 0.5, 255], 4 * (256 * value + age));
    }
  }
  return bytes;
}

/** The colour of a state at rest. */
export function colourOf(look: Look, states: number, state: number): RGB {
  return shade(look, states, state, 255);
}

/** Ages, in generations, after which cells have the colour of ink and traces are gone. */
export const youth = 72;
const memory = 96;

function shade({ paper, ink, accent, ages, states: coloured, history = paper, old = ink, died = mix(paper, accent, 0.16), dying }: Look, states: number, value: number, age: number): RGB {
  if (states === levels) {
    // Blocks without a level are pale, so that the eye goes to the others.
    const [level, density] = [value >> 4, value & 15];
    if (level === 0) return density > 0 ? mix(paper, ink, 0.06 + 0.01 * density) : paper;
    const part = (level - 1) / 14;
    return mix(mix(paper, ink, 0.35), accent, part);
  }
  const live = ages ? mix(accent, old, smooth(age / youth)) : ink;
  if (value === 0) {
    // A dead cell keeps a warm trace for a while.
    return ages && states === 2 && age < 255 ? mix(history, died, 1 - smooth(age / memory)) : paper;
  }
  if (states === densities) return mix(paper, live, 0.3 + 0.7 * Math.min(value / 15, 1) ** 0.9); // a lone cell is seen, too
  if (value < coloured.length) return coloured[value]!;
  if (states === 2) return live;
  if (dying) return mix(ink, dying, (value - 1) / Math.max(states - 2, 1));
  // Dying states fade from the accent into the paper.
  return value === 1 ? ink : mix(paper, accent, Math.max(1 - (0.86 * (value - 1)) / (states - 1), 0));
}

/** A colour between two. */
export function mix(a: RGB, b: RGB, part: number): RGB {
  return [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part];
}

function smooth(t: number): number {
  t = Math.min(Math.max(t, 0), 1);
  return t * t * (3 - 2 * t);
}

/** A colour as style sheets write it. */
export function hex(c: RGB): string {
  return "#" + c.map((v) => Math.round(255 * v).toString(16).padStart(2, "0")).join("");
}

function parse(hex: string): RGB {
  const n = parseInt(hex.trim().slice(1), 16);
  return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}
