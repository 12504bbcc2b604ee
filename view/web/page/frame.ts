// Frames as the server sends them (view/web/frame.go): a header, then bit planes.

/** Bytes of a frame before its planes. */
const headerBytes = 40;

const flagDensity = 1;
const flagSampled = 2;

/** The part of the universe in one message. Sample (i, j) stands for the cells x + i·2^scale … and y + j·2^scale …. */
export interface Frame {
  sequence: number;
  generation: bigint;
  x: number;
  y: number;
  scale: number;
  w: number; // samples
  h: number;
  planes: number;
  density: boolean; // samples are densities, 0 to 15, not states
  sampled: boolean; // densities are estimates: not all rows were looked at
  words: number; // in a row of a plane
  bits: Uint32Array; // plane after plane, row after row; bit i of word v is sample 32·v + i
}

/** Reads a message, or returns null if it is not a frame. */
export function decodeFrame(message: ArrayBuffer): Frame | null {
  if (message.byteLength < headerBytes) return null;
  const v = new DataView(message);
  if (v.getUint8(0) !== 1) return null;
  const w = v.getUint32(24, true);
  const h = v.getUint32(28, true);
  const planes = v.getUint8(1);
  const words = Math.ceil(w / 32);
  if (message.byteLength !== headerBytes + 4 * words * h * planes) return null;
  return {
    planes,
    scale: v.getUint8(2),
    density: (v.getUint8(3) & flagDensity) !== 0,
    sampled: (v.getUint8(3) & flagSampled) !== 0,
    sequence: v.getUint32(4, true),
    x: Number(v.getBigInt64(8, true)),
    y: Number(v.getBigInt64(16, true)),
    w,
    h,
    generation: v.getBigUint64(32, true),
    words,
    bits: new Uint32Array(message, headerBytes),
  };
}
