// The course of population and activity, drawn as two quiet lines. It is the timeline, too: what is pointed at can be gone to.

import { decades, linear, logarithmic, type Axis } from "./axis";
import type { Sample } from "./link";
import { grouped, short } from "./numbers";

/** One line of the graph. */
interface Curve {
  of(s: Sample): number;
  unit: number; // from which on a logarithmic axis is one
  colour: string;
  now: boolean; // samples have what is now, not what was measured last
}

const population: Curve = { of: (s) => s.population, unit: 1, colour: "--ink", now: true };
const activity: Curve = { of: (s) => s.activity, unit: 1e-6, colour: "--accent", now: false };

export class Graph {
  private samples: Sample[] = [];
  private present = 0; // generation
  private marks: number[] = []; // generations
  private hovered: number | null = null; // generation
  private dragging = false;
  private logs = false; // both axes are logarithmic
  private activity: HTMLElement;
  private where: HTMLElement;

  /** goTo is told of the generation that somebody points at. */
  constructor(
    private canvas: HTMLCanvasElement,
    private goTo: (generation: number) => void,
  ) {
    this.activity = document.getElementById("g-activity")!;
    this.where = document.getElementById("g-at")!;
    new ResizeObserver(() => this.paint()).observe(canvas);
    this.connect();
  }

  show(samples: Sample[]): void {
    this.samples = samples;
    const last = this.nearest(this.present);
    this.activity.textContent = last && last.activity >= 0 ? percent(last.activity) : "–";
    this.paint();
  }

  /** Shows which generation it is now, and which have been marked. */
  at(generation: number, marks: number[]): void {
    if (generation === this.present && marks.join() === this.marks.join()) return;
    this.present = generation;
    this.marks = marks;
    this.paint();
  }

  /** The generations from the first sample to the last, or to the present. */
  get span(): [number, number] {
    return [this.samples[0]?.generation ?? this.present, Math.max(this.samples.at(-1)?.generation ?? 0, this.present)];
  }

  /** Makes both axes logarithmic or linear. */
  set logarithmic(yes: boolean) {
    this.logs = yes;
    this.paint();
  }

  private get along(): Axis {
    return this.logs ? logarithmic(...this.span, 1) : linear(...this.span);
  }

  private connect(): void {
    const { canvas } = this;
    const point = (e: PointerEvent): number => {
      const box = canvas.getBoundingClientRect();
      return Math.round(this.along.at(Math.min(Math.max((e.clientX - box.left) / box.width, 0), 1)));
    };
    const hover = (generation: number | null) => {
      this.hovered = generation;
      const s = generation === null ? null : this.nearest(generation);
      const changing = s && s.activity >= 0 ? `, ${percent(s.activity)}` : "";
      this.where.textContent = s ? `at ${grouped(s.generation)}: ${short(s.population)}${changing}` : "";
      this.paint();
    };
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      canvas.setPointerCapture(e.pointerId);
      this.dragging = true;
      this.goTo(point(e));
    });
    canvas.addEventListener("pointermove", (e) => {
      hover(point(e));
      if (this.dragging) this.goTo(point(e));
    });
    const end = () => (this.dragging = false);
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => hover(null));
    canvas.addEventListener("keydown", (e) => {
      const [first, last] = this.span;
      const page = Math.max(Math.round((last - first) / 20), 1);
      const to: Record<string, number> = {
        ArrowLeft: this.present - 1,
        ArrowDown: this.present - 1,
        ArrowRight: this.present + 1,
        ArrowUp: this.present + 1,
        PageDown: this.present - page,
        PageUp: this.present + page,
        Home: first,
        End: last,
      };
      const g = to[e.key];
      if (g === undefined) return;
      e.preventDefault();
      e.stopPropagation();
      this.goTo(Math.max(g, first));
    });
  }

  /** The sample next to a generation. */
  private nearest(generation: number): Sample | undefined {
    let best: Sample | undefined;
    for (const s of this.samples) if (!best || Math.abs(s.generation - generation) < Math.abs(best.generation - generation)) best = s;
    return best;
  }

  paint(): void {
    const { canvas } = this;
    const [first, last] = this.span;
    canvas.ariaValueMin = String(first);
    canvas.ariaValueMax = String(last);
    canvas.ariaValueNow = String(this.present);
    const scale = devicePixelRatio;
    const [w, h] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (w === 0 || h === 0) return;
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const c = canvas.getContext("2d")!;
    c.clearRect(0, 0, w, h);
    const style = getComputedStyle(document.documentElement);
    c.strokeStyle = c.fillStyle = style.getPropertyValue("--line");
    c.lineWidth = scale;
    c.beginPath();
    c.moveTo(0, h - scale / 2);
    c.lineTo(w, h - scale / 2);
    c.stroke();
    const { along } = this;
    if (this.logs) for (const g of decades(first, last, 1)) c.fillRect(Math.round(along.share(g) * w), 0, scale, h);
    for (const curve of [activity, population]) this.line(c, w, h, curve, along, style, scale);
    const upright = (generation: number, from: number, colour: string) => {
      const x = along.share(generation) * w;
      c.fillStyle = style.getPropertyValue(colour);
      c.fillRect(Math.min(Math.max(x - scale / 2, 0), w - scale), from, scale, h - from);
    };
    if (this.hovered !== null) upright(this.hovered, 0, "--line");
    for (const g of this.marks) upright(g, h - 10 * scale, "--accent");
    if (this.present < last) upright(this.present, 0, "--soft");
  }

  /** One line from zero to its own maximum. */
  private line(c: CanvasRenderingContext2D, w: number, h: number, { of, unit, colour, now }: Curve, along: Axis, style: CSSStyleDeclaration, scale: number): void {
    const last = this.samples.length - 1;
    const known = this.samples.filter((s, i) => of(s) >= 0 && (now || i === 0 || i === last || of(s) !== of(this.samples[i - 1]!)));
    if (known.length < 2) return; // activity is not known at first
    const top = Math.max(...known.map(of)) || unit;
    const up = this.logs ? logarithmic(0, top, unit) : linear(0, top);
    c.strokeStyle = style.getPropertyValue(colour);
    c.lineWidth = 1.4 * scale;
    c.lineJoin = "round";
    c.beginPath();
    for (const s of known) c.lineTo(along.share(s.generation) * w, h - scale - up.share(of(s)) * (h - 4 * scale));
    c.stroke();
  }
}

function percent(share: number): string {
  return (100 * share).toFixed(share < 0.001 ? 3 : share < 0.1 ? 2 : 1) + "\u2009%";
}
