// Frames as the server sends them (view/web/internal/wire): a header, then packed samples.

/** Bytes of a frame before its samples. */
const headerBytes = 40;

const flagDensity = 1;
const flagSampled = 2;
const flagChannel = 4;
const flagChanges = 8;

/** The part of the universe in one message. Sample (i, j) stands for the cells x + i·2^scale … and y + j·2^scale …. */
export interface Frame {
  sequence: number;
  generation: bigint;
  x: number;
  y: number;
  scale: number;
  w: number; // samples
  h: number;
  sampleBits: number; // 1, 2, 4 or 8
  density: boolean; // samples are densities, 0 to 15, not states
  channel: boolean; // the upper four bits of a sample are the level of a channel
  sampled: boolean; // densities are estimates: not all rows were looked at
  words: number; // in a row
  bits: Uint32Array; // row after row, the first sample of a word in its lowest bits
}

/** Reads a message, or returns null if it is not a frame. Some have only the changes since the samples of the frame before. */
export function decodeFrame(message: ArrayBuffer, before?: Uint32Array): Frame | null {
  if (message.byteLength < headerBytes) return null;
  const v = new DataView(message);
  if (v.getUint8(0) !== 1) return null;
  const w = v.getUint32(24, true);
  const h = v.getUint32(28, true);
  const sampleBits = v.getUint8(1);
  const words = Math.ceil((w * sampleBits) / 32);
  const changes = (v.getUint8(3) & flagChanges) !== 0;
  if (changes ? before?.length !== words * h : message.byteLength !== headerBytes + 4 * words * h) return null;
  return {
    sampleBits,
    scale: v.getUint8(2),
    density: (v.getUint8(3) & flagDensity) !== 0,
    channel: (v.getUint8(3) & flagChannel) !== 0,
    sampled: (v.getUint8(3) & flagSampled) !== 0,
    sequence: v.getUint32(4, true),
    x: Number(v.getBigInt64(8, true)),
    y: Number(v.getBigInt64(16, true)),
    w,
    h,
    generation: v.getBigUint64(32, true),
    words,
    bits: changes ? changed(before!, new Uint8Array(message, headerBytes)) : new Uint32Array(message, headerBytes),
  };
}

/** The samples after changes. */
function changed(before: Uint32Array, changes: Uint8Array): Uint32Array {
  const after = before.slice();
  const bytes = new Uint8Array(after.buffer);
  let [at, i] = [0, 0];
  const number = () => {
    let [n, shift] = [0, 0];
    for (;;) {
      const b = changes[i++]!;
      n |= (b & 127) << shift;
      if (b < 128) return n;
      shift += 7;
    }
  };
  while (i < changes.length) {
    at += number();
    for (let n = number(); n > 0; n--) bytes[at++]! ^= changes[i++]!;
  }
  return after;
}

/** The sample in column i of row j. */
export function sampleAt(f: Frame, i: number, j: number): number {
  const bit = i * f.sampleBits;
  return (f.bits[j * f.words + (bit >> 5)]! >>> (bit & 31)) & ((1 << f.sampleBits) - 1);
}

/** The state of a cell of a frame of states; 0 outside it. */
export function stateAt(f: Frame, x: number, y: number): number {
  const [i, j] = [x - f.x, y - f.y];
  return i < 0 || j < 0 || i >= f.w || j >= f.h ? 0 : sampleAt(f, i, j);
}

/** Changes the state of a cell of a frame of states. */
export function setState(f: Frame, x: number, y: number, state: number): void {
  const [i, j] = [x - f.x, y - f.y];
  if (i < 0 || j < 0 || i >= f.w || j >= f.h) return;
  const bit = i * f.sampleBits;
  const at = j * f.words + (bit >> 5);
  const mask = ((1 << f.sampleBits) - 1) << (bit & 31);
  f.bits[at] = (f.bits[at]! & ~mask) | (state << (bit & 31));
}
