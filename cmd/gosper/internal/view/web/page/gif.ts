// A GIF89a encoder: frames of one palette, LZW as in the specification (CompuServe, 1990), looping for ever.

export interface GifFrame {
  pixels: Uint8ClampedArray; // RGBA
  delay: number; // hundredths of a second
}

/** Encodes frames of width×height pixels. */
export function encodeGif(width: number, height: number, frames: GifFrame[]): Uint8Array<ArrayBuffer> {
  const palette = new Palette();
  for (const f of frames) palette.count(f.pixels);
  const colours = palette.choose();
  const out = new Bytes();
  out.text("GIF89a");
  out.u16(width);
  out.u16(height);
  out.u8(0xf7); // a global table of 256 colours
  out.u8(0);
  out.u8(0);
  for (let i = 0; i < 256; i++) {
    const c = colours[i] ?? 0;
    out.u8(c >> 16);
    out.u8((c >> 8) & 255);
    out.u8(c & 255);
  }
  out.u8(0x21);
  out.u8(0xff);
  out.u8(11);
  out.text("NETSCAPE2.0");
  out.u8(3);
  out.u8(1);
  out.u16(0);
  out.u8(0);
  const indices = new Uint8Array(width * height);
  for (const f of frames) {
    out.u8(0x21);
    out.u8(0xf9);
    out.u8(4);
    out.u8(4); // leave the picture in place
    out.u16(f.delay);
    out.u8(0);
    out.u8(0);
    out.u8(0x2c);
    out.u16(0);
    out.u16(0);
    out.u16(width);
    out.u16(height);
    out.u8(0);
    palette.map(f.pixels, indices);
    lzw(indices, out);
  }
  out.u8(0x3b);
  return out.done();
}

/** Colours are told apart to 5 bits a channel: the pictures are ramps between a few. */
class Palette {
  private counts = new Uint32Array(1 << 15);
  private index = new Uint8Array(1 << 15);
  private chosen: number[] = [];

  count(rgba: Uint8ClampedArray): void {
    for (let i = 0; i < rgba.length; i += 4) this.counts[key(rgba, i)]!++;
  }

  /** The 256 most frequent colours, as 0xRRGGBB. */
  choose(): number[] {
    const used: number[] = [];
    this.counts.forEach((n, k) => n > 0 && used.push(k));
    used.sort((a, b) => this.counts[b]! - this.counts[a]!);
    const kept = used.slice(0, 256);
    this.chosen = kept.map((k) => (expand(k >> 10) << 16) | (expand((k >> 5) & 31) << 8) | expand(k & 31));
    for (const k of used) this.index[k] = nearest(k, kept);
    return this.chosen;
  }

  map(rgba: Uint8ClampedArray, indices: Uint8Array): void {
    for (let i = 0; i < indices.length; i++) indices[i] = this.index[key(rgba, 4 * i)]!;
  }
}

function key(rgba: Uint8ClampedArray, i: number): number {
  return ((rgba[i]! >> 3) << 10) | ((rgba[i + 1]! >> 3) << 5) | (rgba[i + 2]! >> 3);
}

function expand(five: number): number {
  return (five << 3) | (five >> 2);
}

function nearest(k: number, kept: number[]): number {
  let best = 0;
  let least = Infinity;
  for (let i = 0; i < kept.length; i++) {
    const c = kept[i]!;
    const d = ((k >> 10) - (c >> 10)) ** 2 + (((k >> 5) & 31) - ((c >> 5) & 31)) ** 2 + ((k & 31) - (c & 31)) ** 2;
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return best;
}

function lzw(indices: Uint8Array, out: Bytes): void {
  const clear = 256;
  const end = 257;
  out.u8(8);
  const blocks = new Blocks(out);
  let next = end + 1;
  let width = 9;
  const table = new Map<number, number>();
  blocks.code(clear, width);
  let prefix = indices[0]!;
  for (let i = 1; i < indices.length; i++) {
    const symbol = indices[i]!;
    const k = (prefix << 8) | symbol;
    const known = table.get(k);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    blocks.code(prefix, width);
    if (next === 4096) {
      blocks.code(clear, width);
      table.clear();
      next = end + 1;
      width = 9;
    } else {
      if (next === 1 << width) width++;
      table.set(k, next++);
    }
    prefix = symbol;
  }
  blocks.code(prefix, width);
  blocks.code(end, width);
  blocks.finish();
}

/** Codes of varying width, least significant bit first, in blocks of at most 255 bytes. */
class Blocks {
  private bits = 0;
  private held = 0;
  private block: number[] = [];

  constructor(private out: Bytes) {}

  code(value: number, width: number): void {
    this.bits |= value << this.held;
    this.held += width;
    while (this.held >= 8) {
      this.byte(this.bits & 255);
      this.bits >>>= 8;
      this.held -= 8;
    }
  }

  finish(): void {
    if (this.held > 0) this.byte(this.bits & 255);
    this.flush();
    this.out.u8(0);
  }

  private byte(b: number): void {
    this.block.push(b);
    if (this.block.length === 255) this.flush();
  }

  private flush(): void {
    if (this.block.length === 0) return;
    this.out.u8(this.block.length);
    for (const b of this.block) this.out.u8(b);
    this.block = [];
  }
}

class Bytes {
  private data = new Uint8Array(1 << 16);
  private length = 0;

  u8(b: number): void {
    if (this.length === this.data.length) {
      const more = new Uint8Array(2 * this.data.length);
      more.set(this.data);
      this.data = more;
    }
    this.data[this.length++] = b;
  }

  u16(n: number): void {
    this.u8(n & 255);
    this.u8(n >> 8);
  }

  text(s: string): void {
    for (const c of s) this.u8(c.charCodeAt(0));
  }

  done(): Uint8Array<ArrayBuffer> {
    return this.data.slice(0, this.length);
  }
}
