// Small pictures of patterns, drawn from their text: the first generation, whole, as large as fits.

import { colourOf, densities, type Look } from "./look";

/** Goes through a pattern's runs of equal live cells: each starts at a column and a row and has a length and a state. */
export type Runs = (each: (x: number, y: number, length: number, state: number) => void) => void;

/** The runs of a pattern's text, in the formats that are text and known by their first lines or else by the file's name; null for others. */
export function runsOf(text: string, name: string): Runs | null {
  if (text.startsWith("#Life 1.06")) return coordinates(text);
  if (text.startsWith("#Life 1.05") || text.startsWith("#P")) return rows(text, "*");
  if (/\.rle$/i.test(name)) return rle(text);
  if (/\.cells$/i.test(name)) return rows(text, "Oo*");
  return null;
}

/** Run-length encoded cells, with or without their header. */
export function rle(text: string): Runs {
  const body = text.replace(/^\s*(#|x\s*=).*$/gm, "");
  return (each) => {
    let [x, y, count, higher] = [0, 0, 0, 0];
    for (let i = 0; i < body.length && body[i] !== "!"; i++) {
      const c = body[i]!;
      if (c >= "0" && c <= "9") {
        count = 10 * count + Number(c);
        continue;
      }
      if (c >= "p" && c <= "y") {
        higher = 24 * (c.charCodeAt(0) - "o".charCodeAt(0));
        continue;
      }
      const n = count || 1;
      if (c === "$") [x, y] = [0, y + n];
      else if (c > " ") {
        const state = c === "o" ? 1 : c >= "A" && c <= "X" ? higher + c.charCodeAt(0) - "@".charCodeAt(0) : 0;
        if (state > 0) each(x, y, n, state);
        x += n;
      } else continue; // lines may end anywhere
      count = higher = 0;
    }
  };
}

/** A character for each cell; what begins with #P says where its rows go. */
function rows(text: string, live: string): Runs {
  return (each) => {
    let [left, y] = [0, 0];
    for (const line of text.split("\n")) {
      const place = /^#P\s+(-?\d+)\s+(-?\d+)/.exec(line);
      if (place) [left, y] = [Number(place[1]), Number(place[2])];
      if (line.startsWith("#") || line.startsWith("!")) continue;
      for (let i = 0; i < line.length; i++) if (live.includes(line[i]!)) each(left + i, y, 1, 1);
      y++;
    }
  };
}

/** A line for each live cell. */
function coordinates(text: string): Runs {
  return (each) => {
    for (const [, x, y] of text.matchAll(/^\s*(-?\d+)\s+(-?\d+)/gm)) each(Number(x), Number(y), 1, 1);
  };
}

/** A square of samples. */
export interface Picture {
  size: number; // pixels a side
  samples: Uint8Array; // states, or densities from 0 to 15
  states: number; // densities where pixels have several cells
}

const leastSpan = 9; // cells: a block is not as large as a gun

/** A pattern as a picture of some pixels a side; null if there is no live cell. */
export function pictureOf(runs: Runs, size: number): Picture | null {
  let [left, top, right, bottom, most] = [Infinity, Infinity, -Infinity, -Infinity, 1];
  runs((x, y, n, state) => {
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + n), Math.max(bottom, y + 1)];
    most = Math.max(most, state);
  });
  if (left === Infinity) return null;
  const [width, height] = [right - left, bottom - top];
  const span = Math.max(width + 2, height + 2, leastSpan);
  const samples = new Uint8Array(size * size);
  if (span <= size) {
    const scale = Math.floor(size / span); // pixels a cell
    const [x0, y0] = [(size - scale * width) >> 1, (size - scale * height) >> 1];
    runs((x, y, n, state) => {
      const [from, to] = [x0 + scale * (x - left), x0 + scale * (x + n - left)];
      for (let row = y0 + scale * (y - top), end = row + scale; row < end; row++) samples.fill(state, row * size + from, row * size + to);
    });
    return { size, samples, states: most + 1 };
  }
  const scale = Math.ceil(span / size); // cells a pixel
  const [x0, y0] = [left - ((size * scale - width) >> 1), top - ((size * scale - height) >> 1)];
  const cells = new Float64Array(size * size);
  runs((x, y, n) => {
    const row = size * Math.floor((y - y0) / scale);
    for (let from = x - x0, end = from + n; from < end; ) {
      const column = Math.floor(from / scale);
      const to = Math.min(end, scale * (column + 1));
      cells[row + column]! += to - from;
      from = to;
    }
  });
  cells.forEach((n, i) => (samples[i] = Math.ceil((15 * Math.min(n, scale * scale)) / (scale * scale))));
  return { size, samples, states: densities };
}

/** Draws a picture. */
export function draw(picture: Picture, canvas: HTMLCanvasElement, look: Look): void {
  canvas.width = canvas.height = picture.size;
  const pixels = new ImageData(picture.size, picture.size);
  const colours = new Map<number, number[]>();
  picture.samples.forEach((sample, i) => {
    let colour = colours.get(sample);
    if (!colour) colours.set(sample, (colour = [...colourOf(look, picture.states, sample), 1].map((part) => 255 * part)));
    pixels.data.set(colour, 4 * i);
  });
  canvas.getContext("2d")!.putImageData(pixels, 0, 0);
}
