// A universe of three dimensions on the page. Its cells come over the same link as those of a universe of two: as the grid of columns and rows
// that stores them, layer after layer.

import type { Context } from "./context";
import { setState, stateAt, type Frame } from "./frame";
import type { Keys } from "./keyboard";
import type { Status } from "./link";
import { mix, type RGB } from "./look";
import { grouped } from "./numbers";
import { cut, Orbit, pick, rayThrough, type Box, type Eye, type Slice, type Vector } from "./orbit";
import { element } from "./panel";
import type { Permalink } from "./permalink";
import { Sharpness } from "./sharpness";
import { colourings, Voxels, type Cells, type Colouring, type Style } from "./voxels";

const mostCells = 1 << 24; // that the server sends at once (view/scene/region.go)
const sharpest = 1.5; // device pixels per CSS pixel that are worth drawing
const oldest = 72; // generations after which colours by age stay

const input = (id: string) => element<HTMLInputElement>(id);
const axes = ["x", "y", "z"];
const everything = [0, Infinity, 0, Infinity, 0, Infinity]; // the largest box

export class Volume {
  private canvas = element<HTMLCanvasElement>("voxels");
  private voxels = new Voxels(this.canvas);
  private orbit = new Orbit();
  private frame: Frame | null = null; // on the screen
  private cells: Cells | null = null; // that were asked for
  private size = ""; // of the stage, as it was painted last
  private depth = 0; // layers of the universe
  private box: Box | null = null; // that is drawn, in cells of the frame
  private slice: Slice | null = null;
  private colouring: Colouring = "state";
  private style: Style;
  private dirty = true;
  private sharpness = new Sharpness();
  private stroke: Map<string, Vector> | null = null; // cells that are being drawn
  private drawn = 1; // the state that the stroke gives them
  private sent = ""; // the number of drawings when the last stroke was sent; empty if the server has written it
  private pointers = new Map<number, [number, number]>();

  constructor(
    private page: Context,
    private stage: HTMLElement,
  ) {
    this.style = this.mixed();
    this.connectLook();
    this.connectPointer();
  }

  /** Takes a status of a universe of three dimensions. */
  learn(s: Status): void {
    if (s.drawn !== this.sent) this.sent = "";
    this.stage.dataset.states = String(s.states);
    const [w, h] = [s.width, s.height / s.depth];
    const { longest } = this.voxels;
    if (w * h > mostCells || w > longest || h > longest) {
      this.page.notify(`A layer of ${grouped(w)}×${grouped(h)} cells is too large for this page: gosper render draws it.`, true, Infinity);
      return;
    }
    if (this.cells && this.cells.w === w && this.cells.h === h && this.depth === s.depth) return;
    const d = Math.min(s.depth, Math.floor(mostCells / (w * h)), longest);
    this.depth = s.depth;
    this.cells = { w, h, d, first: Math.floor((s.depth - d) / 2) };
    this.box = { low: [0, 0, 0], high: [w, h, d] };
    this.frame = null;
    this.page.link.send({ do: "view", x: 0, y: this.cells.first * h, scale: 0, w, h: d * h, channel: "density" });
    this.sliceAcross("");
  }

  /** Cells have to be asked for again: the connection was lost, or a universe of two dimensions was shown. */
  forget(): void {
    this.cells = this.frame = null;
    this.refused();
  }

  /** The last stroke was refused. */
  refused(): void {
    this.sent = "";
  }

  /** One turn of the screen, with the frame that has come. */
  turn(now: number, f: Frame | null): void {
    const { cells, sharpness, stage } = this;
    sharpness.turn(now, this.page.status?.playing);
    if (f && cells && f.y === cells.first * cells.h && f.w === cells.w && f.h === cells.h * cells.d) {
      this.frame = f;
      this.voxels.take(f, cells, this.colouring === "age");
      this.dirty = true;
      this.stage.dataset.generation = String(f.generation);
    }
    const size = `${stage.clientWidth}×${stage.clientHeight}×${devicePixelRatio}`;
    if (!this.dirty && size === this.size && !(sharpness.coarse && sharpness.rests)) return;
    this.size = size;
    this.paint(sharpness.paint());
  }

  /** Whether the cells of a universe at rest are on the screen, with all that was drawn. */
  settled(s: Status): boolean {
    return this.frame !== null && !this.dirty && !this.sharpness.coarse && !this.sent && !this.stroke && String(this.frame.generation) === s.generation;
  }

  /** The visible box, in words. */
  get seen(): string {
    const { box } = this;
    return box ? `${box.high.map((high, i) => high - box.low[i]!).join(" × ")} cells` : "–";
  }

  /** A copy of the picture. */
  picture(): HTMLCanvasElement {
    this.paint(1);
    const copy = Object.assign(document.createElement("canvas"), { width: this.canvas.width, height: this.canvas.height });
    copy.getContext("2d")!.drawImage(this.canvas, 0, 0);
    return copy;
  }

  /** The view, as an address has it. */
  get place(): Permalink {
    const { orbit, slice, box, cells } = this;
    const link: Permalink = { view: [orbit.yaw, orbit.pitch, orbit.zoom] };
    if (this.colouring !== "state") link.colour = this.colouring;
    if (!box || !cells) return link;
    const from = [0, 0, cells.first];
    if (slice) link.slice = `${axes[slice.axis]}${slice.at + from[slice.axis]!}`;
    const sides = [cells.w, cells.h, cells.d];
    if (box.low.some((l, i) => l > 0 || box.high[i]! < sides[i]!)) link.box = box.low.map((l, i) => `${l + from[i]!}..${box.high[i]! - 1 + from[i]!}`).join();
    return link;
  }

  /** Looks as an address says. */
  goTo(link: Permalink): void {
    const { orbit } = this;
    const [yaw, pitch, zoom] = link.view ?? [orbit.yaw, orbit.pitch, orbit.zoom];
    [orbit.yaw, orbit.pitch, orbit.zoom] = [0, 0, 1];
    orbit.turn(yaw, pitch);
    orbit.magnify(zoom);
    this.colourBy(colourings.find((c) => c === link.colour) ?? "state");
    const ends = (link.box ?? "").split(/,|\.\./).map(Number);
    this.clip(ends.length === 6 && ends.every(Number.isInteger) ? ends : everything);
    const at = /^([xyz])(\d{1,9})$/.exec(link.slice ?? "");
    this.sliceAcross(at?.[1] ?? "", Number(at?.[2]));
  }

  /** Draws a share of the pixels, each way. */
  private paint(share: number): void {
    const ratio = share * Math.min(devicePixelRatio, sharpest);
    const [w, h] = [Math.round(this.stage.clientWidth * ratio), Math.round(this.stage.clientHeight * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    this.dirty = false;
    if (!this.box || !this.frame) return;
    const { eye, box, side } = this.view(this.box);
    this.voxels.paint(eye, box, this.slice && { axis: this.slice.axis, side }, this.style);
    this.stage.dataset.painted = String(Number(this.stage.dataset.painted ?? 0) + 1);
  }

  /** From where what is seen. */
  private view(whole: Box): { eye: Eye; box: Box; side: number } {
    const eye = this.orbit.eye(whole);
    return { eye, ...(this.slice ? cut(whole, this.slice, eye.at) : { box: whole, side: 0 }) };
  }

  /** Shows the slice and the box in the controls. */
  private showLook(): void {
    this.dirty = true;
    const { box, cells, slice } = this;
    if (!box || !cells) return;
    const from = [0, 0, cells.first];
    axes.forEach((axis, i) => {
      for (const [id, value] of [[axis + "0", box.low[i]! + from[i]!], [axis + "1", box.high[i]! - 1 + from[i]!]] as const) {
        input(id).value = String(value);
      }
    });
    element("box-note").textContent = cells.d < this.depth ? `The page shows layers ${cells.first} to ${cells.first + cells.d - 1} of ${this.depth}.` : "";
    element<HTMLSelectElement>("slice-axis").value = slice ? axes[slice.axis]! : "";
    const range = input("slice");
    range.disabled = !slice;
    if (slice) {
      const shift = from[slice.axis]!;
      [range.min, range.max, range.value] = [String(box.low[slice.axis]! + shift), String(box.high[slice.axis]! - 1 + shift), String(slice.at + shift)];
    } else element("carve").ariaPressed = "false";
    element("slice-value").textContent = slice ? `${axes[slice.axis]} = ${range.value}` : "";
    this.canvas.classList.toggle("drawing", this.draws);
  }

  private get draws(): boolean {
    return element("carve").ariaPressed === "true";
  }

  /** Mixes the colours of cells from those of the style sheet again. */
  restyle(): void {
    this.style = this.mixed();
    this.dirty = true;
  }

  private mixed(): Style {
    const { look, states } = this.page;
    const root = getComputedStyle(document.documentElement);
    const named = (name: string): RGB => {
      const n = parseInt(root.getPropertyValue(name).trim().slice(1), 16);
      return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
    };
    const [accent, cold, warm, still] = [look.accent, named("--oscillator"), named("--restless"), named("--still")];
    const palette = new Uint8Array(4 * 256 * 3);
    for (let i = 0; i < 256; i++) {
      const depth = i < 128 ? mix(accent, warm, i / 128) : mix(warm, cold, (i - 128) / 127);
      const rows: RGB[] = [
        look.states[i] ?? mix(accent, still, Math.min(Math.max((i - 1) / Math.max(states - 2, 1), 0), 1)),
        mix(accent, cold, Math.sqrt(Math.min(i / oldest, 1))),
        depth,
      ];
      rows.forEach((c, row) => palette.set([...c.map((v) => Math.round(255 * v)), 255], 4 * (256 * row + i)));
    }
    return { colouring: this.colouring, shadows: true, paper: look.paper, line: mix(look.paper, look.ink, 0.5), accent, palette };
  }

  private connectLook(): void {
    const colour = element<HTMLSelectElement>("colour");
    colour.onchange = () => this.colourBy(colour.value as Colouring);
    element<HTMLSelectElement>("slice-axis").onchange = () => this.sliceAcross(element<HTMLSelectElement>("slice-axis").value);
    input("slice").oninput = () => {
      if (this.slice) this.sliceAcross(axes[this.slice.axis]!, Number(input("slice").value));
    };
    for (const axis of axes) for (const end of ["0", "1"]) input(axis + end).onchange = () => this.clip(axes.flatMap((a) => [Number(input(a + "0").value), Number(input(a + "1").value)]));
    element("unclip").onclick = () => this.clip(everything);
    element("carve").onclick = () => this.toggleDrawing();
  }

  magnify(by: number): void {
    this.orbit.magnify(by);
    this.dirty = true;
  }

  fit(): void {
    this.orbit.zoom = 1;
    this.dirty = true;
  }

  private colourBy(colouring: Colouring): void {
    this.colouring = colouring;
    element<HTMLSelectElement>("colour").value = colouring;
    this.restyle();
    if (colouring === "age" && this.frame && this.cells) this.voxels.take(this.frame, this.cells, true);
  }

  /** Cuts across an axis, at a coordinate or in the middle; axis is empty for no slice. */
  private sliceAcross(axis: string, at?: number): void {
    const { box, cells } = this;
    const i = axes.indexOf(axis);
    this.slice = null;
    if (i >= 0 && box && cells) {
      const [low, high] = [box.low[i]!, box.high[i]!];
      at = at === undefined ? Math.floor((low + high) / 2) : at - (i === 2 ? cells.first : 0);
      this.slice = { axis: i, at: Math.min(Math.max(at, low), high - 1) };
    }
    this.showLook();
  }

  /** Draws or turns from now on. Drawing needs a slice. */
  private toggleDrawing(): void {
    const draws = !this.draws;
    if (draws && this.page.about?.watch) return this.page.notify("You are watching: this link changes nothing.", true);
    element("carve").ariaPressed = String(draws);
    if (draws && !this.slice) this.sliceAcross("z");
    this.showLook();
  }

  /** Shows only the cells from, to, from, to, from, to in x, y and z. */
  private clip(ends: number[]): void {
    if (!this.cells) return;
    const sides = [this.cells.w, this.cells.h, this.cells.d];
    const from = [0, 0, this.cells.first];
    const low = axes.map((_, i) => Math.min(Math.max(ends[2 * i]! - from[i]! || 0, 0), sides[i]! - 1)) as Vector;
    const high = axes.map((_, i) => Math.min(Math.max(ends[2 * i + 1]! - from[i]! || 0, low[i]!), sides[i]! - 1) + 1) as Vector;
    this.box = { low, high };
    if (this.slice) this.sliceAcross(axes[this.slice.axis]!, this.slice.at + from[this.slice.axis]!);
    this.showLook();
  }

  private connectPointer(): void {
    const { canvas, pointers } = this;
    // What happens on this canvas is no news for the stage, which moves the camera of two dimensions.
    const on = <K extends "pointerdown" | "pointermove" | "pointerup" | "pointercancel" | "wheel">(what: K, act: (e: HTMLElementEventMap[K]) => void) =>
      canvas.addEventListener(
        what,
        (e) => {
          e.stopPropagation();
          act(e);
        },
        { passive: false },
      );
    const at = (e: PointerEvent): [number, number] => [e.clientX - canvas.getBoundingClientRect().left, e.clientY - canvas.getBoundingClientRect().top];
    on("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, at(e));
      const cell = this.draws && pointers.size === 1 && e.button === 0 && !e.shiftKey && this.cellAt(...at(e));
      if (!cell || !this.frame || !this.cells) {
        if (pointers.size > 1) this.stroke = null;
        return;
      }
      this.showWhere(cell);
      const state = Math.min(Math.max(Math.floor(Number(input("state").value)) || 1, 1), this.page.states - 1);
      this.drawn = this.stateOf(cell) === state ? 0 : state;
      this.stroke = new Map();
      this.draw(cell);
    });
    on("pointermove", (e) => {
      const before = pointers.get(e.pointerId);
      const now = at(e);
      const cell = this.slice && this.cellAt(...now);
      this.showWhere(cell);
      if (!before) return;
      pointers.set(e.pointerId, now);
      if (this.stroke) {
        if (cell) this.draw(cell);
        return;
      }
      if (pointers.size === 2) {
        const other = [...pointers.entries()].find(([id]) => id !== e.pointerId)![1];
        this.magnify(Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(Math.hypot(before[0] - other[0], before[1] - other[1]), 1));
        return;
      }
      this.turnBy(-0.4 * (now[0] - before[0]), 0.4 * (now[1] - before[1]));
    });
    const up = (e: PointerEvent) => {
      pointers.delete(e.pointerId);
      this.endStroke();
    };
    on("pointerup", up);
    on("pointercancel", up);
    on("wheel", (e) => {
      e.preventDefault();
      this.magnify(Math.exp(-e.deltaY / 500));
    });
  }

  private turnBy(yaw: number, pitch: number): void {
    this.orbit.turn(yaw, pitch);
    this.dirty = true;
  }

  /** The cell of the slice under a place on the canvas. */
  private cellAt(px: number, py: number): Vector | null {
    if (!this.slice || !this.box) return null;
    const { eye, box, side } = this.view(this.box);
    return pick(this.slice, side, box, eye.at, rayThrough(eye, px, py, this.canvas.clientWidth, this.canvas.clientHeight));
  }

  private showWhere(cell: Vector | null): void {
    element("on-slice").textContent = cell && this.cells ? `${cell[0]}, ${cell[1]}, ${cell[2] + this.cells.first}: state ${this.stateOf(cell)}` : "";
  }

  private row([, y, z]: Vector): number {
    return y + this.cells!.h * (z + this.cells!.first);
  }

  private stateOf(cell: Vector): number {
    return this.frame && this.cells ? stateAt(this.frame, cell[0], this.row(cell)) : 0;
  }

  /** Gives a cell the state that is drawn, here at once. The server learns of it at the end of the stroke, which is undone as a whole. */
  private draw(cell: Vector): void {
    if (!this.stroke || !this.frame || !this.cells) return;
    this.stroke.set(cell.join(), cell);
    setState(this.frame, cell[0], this.row(cell), this.drawn);
    this.voxels.take(this.frame, this.cells, this.colouring === "age");
    this.dirty = true;
  }

  private endStroke(): void {
    const { stroke } = this;
    this.stroke = null;
    if (!stroke?.size) return;
    const cells = [...stroke.values()].flatMap((cell) => [cell[0], this.row(cell)]);
    if (this.page.link.send({ do: "edit", state: this.drawn, cells })) this.sent = this.page.status?.drawn ?? "";
  }

  /** The keys that do something else than in two dimensions, or do nothing. */
  readonly keys: Keys = {
    ...Object.fromEntries(["Shift+f", "m", "1", "2", "4", "8", "6", "3", "F4", "d", "w", "x", "y", "o", "p", "n", "k", "<", ">", "Ctrl+a", "Ctrl+c", "Ctrl+x", "Delete", "Backspace", "e", "Shift+e", "g", "t", "Shift+t", "l"].map((key) => [key, () => {}])),
    f: () => this.fit(),
    "]": () => this.magnify(1.25),
    "[": () => this.magnify(0.8),
    c: () => this.toggleDrawing(),
    F2: () => this.toggleDrawing(),
    a: () => this.colourBy(after(colourings, this.colouring)),
    s: () => this.sliceAcross(after(["", "z", "x", "y"], this.slice ? axes[this.slice.axis]! : "")),
    ",": () => this.slide(-1),
    ".": () => this.slide(1),
    Escape: () => {
      if (this.draws) this.toggleDrawing();
    },
    ArrowLeft: () => this.turnBy(5, 0),
    ArrowRight: () => this.turnBy(-5, 0),
    ArrowUp: () => this.turnBy(0, 5),
    ArrowDown: () => this.turnBy(0, -5),
  };

  /** Moves the slice. */
  private slide(by: number): void {
    const { slice, cells } = this;
    if (slice && cells) this.sliceAcross(axes[slice.axis]!, slice.at + by + (slice.axis === 2 ? cells.first : 0));
  }
}

/** What follows an item of a list, around and around. */
function after<T>(list: readonly T[], now: T): T {
  return list[(list.indexOf(now) + 1) % list.length]!;
}
