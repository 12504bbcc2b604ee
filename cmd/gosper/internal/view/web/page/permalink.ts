// The part of the address after # says which universe to show: rule, soup or pattern, generation, and the place of the camera.
//
//   #rule=B3/S23:T1024,1024&density=0.5&seed=7&generation=500&at=512,512,4
//   #rule=B3/S23:T1024,1024&density=0.5&seed=7&start=gauss~length=8
//   #rule=B3/S23:T1024,1024&seed=7&start=pattern~flip=0.01&rle=bo$2bo$3o!
//   #pattern=gosper-gun&generation=300
// For an unbounded universe it also has the size of the soup: &size=256x256. Cells that do not come from a seed are in the link, as RLE: people write it
// as it is, the page writes it deflated, in base64url. "cells" is an older name for the same.
//
//   #rle=bo$2bo$3o!&rule=B36/S23&generation=40
//   #rle=q1AwVTAAAA&at=12,4,16

//
// The address of a universe of three dimensions says how it is turned, what colours show, which slice is drawn on, and what part is shown:
//
//   #rule=3D4,5/5:T64,64,64&density=0.12&seed=7&generation=30&view=30,25,1&colour=age&slice=z12&box=0..63,0..31,0..63

export interface Permalink {
  rule?: string;
  density?: number;
  seed?: string;
  size?: [number, number];
  start?: string; // first cells besides a soup; rle is its pattern
  pattern?: string;
  generation?: string;
  at?: [number, number, number];
  view?: [number, number, number]; // degrees around and above, and magnification
  colour?: string;
  slice?: string; // an axis and a coordinate
  box?: string; // ranges of x, y and z
  rle?: string; // the text of a pattern, as it is or packed
}

/** The longest text of cells in a link: browsers and mail programs cut longer addresses. */
export const longestCells = 16_000;

/** Packs the text of a pattern for a link. */
export async function pack(rle: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(rle), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of the pattern in a link, under the link's rule if the text names none. Throws if there is no pattern. */
export async function unpack(rle: string, rule = ""): Promise<Uint8Array<ArrayBuffer>> {
  if (rle.includes("!")) return new TextEncoder().encode((rule && `#r ${rule}\n`) + rle);
  const text = atob(rle.replaceAll("-", "+").replaceAll("_", "/"));
  return through(
    Uint8Array.from(text, (c) => c.charCodeAt(0)),
    new DecompressionStream("deflate-raw"),
  );
}

/** Bytes after a transformation by a stream. */
export async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export function readPermalink(hash: string): Permalink | null {
  const fields = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const i = part.indexOf("=");
    if (i > 0) fields.set(part.slice(0, i), decode(part.slice(i + 1)));
  }
  const link: Permalink = {};
  const digits = (name: string) => (/^\d{1,20}$/.test(fields.get(name) ?? "") ? fields.get(name) : undefined);
  link.rule = fields.get("rule");
  link.pattern = fields.get("pattern");
  link.start = fields.get("start");
  link.colour = fields.get("colour");
  link.slice = fields.get("slice");
  link.box = fields.get("box");
  link.rle = fields.get("rle") ?? fields.get("cells");
  link.seed = digits("seed");
  link.generation = digits("generation");
  const density = Number(fields.get("density"));
  if (fields.has("density") && density >= 0 && density <= 1) link.density = density;
  const size = /^(\d{1,10})x(\d{1,10})$/.exec(fields.get("size") ?? "");
  if (size) link.size = [Number(size[1]), Number(size[2])];
  for (const name of ["at", "view"] as const) {
    const place = (fields.get(name) ?? "").split(",").map(Number);
    if (place.length === 3 && place.every(isFinite) && place[2]! > 0) link[name] = place as [number, number, number];
  }
  return Object.values(link).some((v) => v !== undefined) ? link : null;
}

/** The command that makes the universe of a link; null: the link has cells, or says nothing of another universe. */
export function orderOf(link: Permalink): { do: string; [field: string]: unknown } | null {
  const { rule = "", generation = "0", density = 0.5, seed, size, start = "", rle = "" } = link;
  if (seed !== undefined) {
    const [width, height] = size ?? [0, 0];
    return { do: "soup", rule, width, height, unbounded: size !== undefined, density, seed, generation, start, cells: rle };
  }
  return link.pattern ? { do: "builtin", name: link.pattern, rule, generation } : null;
}

export function writePermalink(link: Permalink): string {
  const parts: string[] = [];
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined && value !== "") parts.push(`${name}=${encode(String(value))}`);
  };
  add("rule", link.rule);
  add("pattern", link.pattern);
  add("start", link.start);
  add("rle", link.rle);
  add("size", link.size?.join("x"));
  add("density", link.density);
  add("seed", link.seed);
  add("generation", link.generation);
  for (const name of ["at", "view"] as const) add(name, link[name]?.map((v) => Number(v.toPrecision(12))).join(","));
  for (const name of ["colour", "slice", "box"] as const) add(name, link[name]);
  return "#" + parts.join("&");
}

/** Escapes only the characters of a rule that would end the field, so that it remains readable. */
function encode(s: string): string {
  return s.replace(/[%&#\s"<>`]/g, encodeURIComponent);
}

function decode(s: string): string {
  try {
    return decodeURIComponent(s);
  } catch {
    return s;
  }
}
