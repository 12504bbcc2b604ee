// The course of population and activity, drawn as two quiet lines.

import type { Sample } from "./link";

export class Graph {
  private samples: Sample[] = [];
  private activity: HTMLElement;

  constructor(private canvas: HTMLCanvasElement) {
    this.activity = document.getElementById("g-activity")!;
    new ResizeObserver(() => this.paint()).observe(canvas);
  }

  show(samples: Sample[]): void {
    this.samples = samples;
    const last = samples.at(-1);
    this.activity.textContent = last && last.activity >= 0 ? percent(last.activity) : "–";
    this.paint();
  }

  paint(): void {
    const { canvas } = this;
    const scale = devicePixelRatio;
    const [w, h] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (w === 0 || h === 0) return;
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const c = canvas.getContext("2d")!;
    c.clearRect(0, 0, w, h);
    const style = getComputedStyle(document.documentElement);
    c.strokeStyle = style.getPropertyValue("--line");
    c.lineWidth = scale;
    c.beginPath();
    c.moveTo(0, h - scale / 2);
    c.lineTo(w, h - scale / 2);
    c.stroke();
    this.line(c, w, h, (s) => s.activity, style.getPropertyValue("--accent"), scale);
    this.line(c, w, h, (s) => s.population, style.getPropertyValue("--ink"), scale);
  }

  /** One line from zero to its own maximum. */
  private line(c: CanvasRenderingContext2D, w: number, h: number, of: (s: Sample) => number, colour: string, scale: number): void {
    const all = this.samples;
    const [first, last] = [all[0], all.at(-1)];
    if (!first || !last || first.generation === last.generation) return;
    const known = all.filter((s) => of(s) >= 0); // activity is not known at first
    const top = Math.max(...known.map(of), 1e-12);
    c.strokeStyle = colour;
    c.lineWidth = 1.4 * scale;
    c.lineJoin = "round";
    c.beginPath();
    for (const s of known) {
      const x = ((s.generation - first.generation) / (last.generation - first.generation)) * w;
      const y = h - scale - (of(s) / top) * (h - 4 * scale);
      c.lineTo(x, y);
    }
    c.stroke();
  }
}

function percent(share: number): string {
  return (100 * share).toFixed(share < 0.001 ? 3 : share < 0.1 ? 2 : 1) + "\u2009%";
}
