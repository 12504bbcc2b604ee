// Pictures and films of what is seen: PNG by the browser, GIF by gif.ts.

import { encodeGif, type GifFrame } from "./gif";

const mostFrames = 90;
const longestSide = 480;

/** Offers bytes as a file. */
export function save(blob: Blob, name: string): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

/** Takes frames of a canvas until it has enough. */
export class Film {
  private frames: GifFrame[] = [];
  private last = 0;
  private generation: bigint | null = null;
  private small = document.createElement("canvas");
  private context: CanvasRenderingContext2D;

  constructor(canvas: HTMLCanvasElement) {
    const shrink = Math.min(1, longestSide / Math.max(canvas.width, canvas.height));
    this.small.width = Math.max(1, Math.round(canvas.width * shrink));
    this.small.height = Math.max(1, Math.round(canvas.height * shrink));
    this.context = this.small.getContext("2d", { willReadFrequently: true })!;
  }

  get length(): number {
    return this.frames.length;
  }

  get full(): boolean {
    return this.frames.length >= mostFrames;
  }

  /**
   * Adds what the canvas shows, unless it is the generation added last; returns whether it did. The canvas must have been painted in
   * this turn of the browser's loop.
   */
  add(canvas: HTMLCanvasElement, now: number, generation: bigint): boolean {
    if (generation === this.generation) return false;
    this.generation = generation;
    const { width, height } = this.small;
    this.context.drawImage(canvas, 0, 0, width, height);
    const delay = this.last === 0 ? 4 : Math.min(Math.max(Math.round((now - this.last) / 10), 3), 20);
    this.last = now;
    this.frames.push({ pixels: this.context.getImageData(0, 0, width, height).data, delay });
    return true;
  }

  finish(): Blob {
    return new Blob([encodeGif(this.small.width, this.small.height, this.frames)], { type: "image/gif" });
  }
}
