// Draws frames on a canvas without WebGL2. The processor keeps the ages and mixes the colours of the samples; the canvas scales the picture.

import type { Camera, Rect } from "./camera";
import { sampleAt, type Frame } from "./frame";
import { meaningOf, palette, type Look, type RGB } from "./look";
import type { Screen } from "./screen";

const oldest = 255; // not known to have changed

export class Plain implements Screen {
  private context: CanvasRenderingContext2D;
  private picture = document.createElement("canvas"); // a pixel a sample
  private frame: Frame | null = null;
  private ages = new Uint8Array(0); // generations since a sample of the frame changed between dead and alive
  private alive = new Uint8Array(0);
  private strangers = false;
  private colours: Uint32Array = new Uint32Array(0);
  private coloured = "";

  constructor(private canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("This browser cannot draw: it has neither WebGL2 nor a canvas.");
    this.context = context;
  }

  get current(): Frame | null {
    return this.frame;
  }

  forget(): void {
    this.strangers = true;
  }

  take(f: Frame, look: Look, states: number): void {
    this.mix(look, meaningOf(f, states));
    const old = this.strangers ? null : this.frame;
    const comparable = old && f.generation >= old.generation && f.scale === old.scale;
    const [dx, dy] = comparable ? [(f.x - old.x) / 2 ** f.scale, (f.y - old.y) / 2 ** f.scale] : [0, 0];
    const elapsed = comparable ? Math.min(Number(f.generation - old.generation), 48) : 0;
    const [ages, alive] = [new Uint8Array(f.w * f.h), new Uint8Array(f.w * f.h)];
    const pixels = new Uint32Array(f.w * f.h);
    for (let y = 0, i = 0; y < f.h; y++) {
      for (let x = 0; x < f.w; x++, i++) {
        const value = sampleAt(f, x, y);
        let age = oldest;
        const [px, py] = [x + dx, y + dy];
        if (comparable && px >= 0 && py >= 0 && px < old.w && py < old.h) {
          const was = py * old.w + px;
          age = this.alive[was] === Number(value > 0) ? Math.min(this.ages[was]! + elapsed, this.ages[was] === oldest ? oldest : oldest - 1) : 0;
        }
        ages[i] = age;
        alive[i] = Number(value > 0);
        pixels[i] = this.colours[256 * value + age]!;
      }
    }
    [this.ages, this.alive, this.frame, this.strangers] = [ages, alive, f, false];
    if (this.picture.width !== f.w || this.picture.height !== f.h) [this.picture.width, this.picture.height] = [f.w, f.h];
    this.picture.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), f.w, f.h), 0, 0);
  }

  paint(camera: Camera, look: Look, universe: Rect | null): void {
    const { context: c, frame: f } = this;
    const { width, height } = camera;
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    const { zoom } = camera.now;
    const view = camera.visible();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = css(universe ? look.beyond : look.paper);
    c.fillRect(0, 0, width, height);
    c.setTransform(...camera.flat); // hexagons and triangles are parallelograms here
    const at = (x: number, y: number): [number, number] => [(x - view.x) * zoom, (y - view.y) * zoom];
    c.save();
    if (universe) {
      c.beginPath();
      c.rect(...at(universe.x, universe.y), universe.w * zoom, universe.h * zoom);
      c.clip();
      c.fillStyle = css(look.paper);
      c.fill();
    }
    if (f) {
      const unit = 2 ** f.scale * zoom;
      c.imageSmoothingEnabled = unit < 1;
      c.drawImage(this.picture, ...at(f.x, f.y), f.w * unit, f.h * unit);
    }
    c.restore();
  }

  copy(to: CanvasRenderingContext2D): void {
    to.drawImage(this.canvas, 0, 0);
  }

  /** Makes the colours of values and ages, where they are not those made before. */
  private mix(look: Look, states: number): void {
    const wanted = JSON.stringify([look, states]);
    if (wanted === this.coloured) return;
    this.coloured = wanted;
    this.colours = new Uint32Array(palette(look, states).buffer);
  }
}

function css([r, g, b]: RGB): string {
  return `rgb(${255 * r} ${255 * g} ${255 * b})`;
}
