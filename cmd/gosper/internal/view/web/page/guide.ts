// What scripts of patterns do to the view, and what they draw over the cells: texts, arrows, lines and polygons.

import type { Camera, Rect } from "./camera";
import type { Context } from "./context";
import type { Status } from "./link";
import { hex, recoloured, type Look } from "./look";
import { momentAt, readScript, type Moment, type Script } from "./script";

const letters = 16; // CSS pixels of a mark's text at its own zoom

/** Draws the marks that show at a time, in generations since the beginning, of a pattern with its upper left corner in a cell. */
export function paintMarks(c: CanvasRenderingContext2D, camera: Camera, [left, top]: [number, number], script: Script, time: number, look: Look): void {
  const { zoom } = camera.now;
  const view = camera.visible();
  const [m, sharpness] = [new DOMMatrix(camera.flat), camera.sharpness];
  for (const mark of script.marks) {
    const size = Math.min(zoom / sharpness / mark.zoom, 4) * sharpness;
    if (time < mark.from || time > mark.to || size < 0.4 * sharpness) continue; // nobody could read it
    const at: DOMPoint[] = [];
    for (let i = 0; i < mark.points.length; i += 2) {
      at.push(m.transformPoint({ x: (left + mark.points[i]! - view.x) * zoom, y: (top + mark.points[i + 1]! - view.y) * zoom }));
    }
    c.globalAlpha = mark.alpha;
    c.fillStyle = c.strokeStyle = mark.colour ?? hex(look.accent);
    c.lineWidth = 2 * size;
    const [first, last] = [at[0]!, at.at(-1)!];
    if (mark.kind === "LABEL") {
      c.font = `500 ${letters * size}px system-ui, sans-serif`;
      c.textBaseline = "top";
      mark.text.split("\n").forEach((line, i) => c.fillText(line, first.x, first.y + 1.2 * i * letters * size));
      continue;
    }
    c.beginPath();
    for (const p of at) c.lineTo(p.x, p.y);
    if (mark.kind === "POLYGON") c.fill();
    else c.stroke();
    if (mark.kind !== "ARROW") continue;
    const way = Math.atan2(last.y - first.y, last.x - first.x);
    c.beginPath();
    for (const turn of [0, 2.7, -2.7]) c.lineTo(last.x + (turn ? 14 * size * Math.cos(way + turn) : 0), last.y + (turn ? 14 * size * Math.sin(way + turn) : 0));
    c.fill();
  }
  c.globalAlpha = 1;
}

/** Says which words of a script are not followed; empty: all are. */
export function refusalOf(script: Script, also: string[] = []): string {
  const words = [...script.ignored, ...also];
  return words.length > 0 ? `Not followed of the pattern's script: ${words.join(", ")}.` : "";
}

/** Follows the script of the universe that the page shows. */
export class Guide {
  private script: Script | null = null; // null: there is none
  private box: Rect = { x: 0, y: 0, w: 1, h: 1 }; // of the pattern at the beginning
  private fitted = 1;
  private poi = -1;
  private theme = "";
  free = true; // somebody has moved the view

  constructor(private page: Context) {}

  /** Another universe is shown, in all its size. A script is followed from the beginning only: what is seen later does not say where that was. */
  begin(s: Status): void {
    this.script = s.script && s.generation === "0" && s.box[2] > 0 && s.depth === 0 ? readScript(s.script) : null;
    const { script } = this;
    this.page.camera.angle = 0;
    this.theme = "";
    this.free = !script;
    if (!script) return;
    this.box = this.page.box();
    this.fitted = this.page.camera.destination().zoom / this.page.camera.sharpness;
    const { stop, loop, pastes, autofit, grid } = script;
    const also = Object.entries({ STOP: stop, LOOP: loop, PASTE: pastes[0], AUTOFIT: autofit, GRID: grid }).flatMap(([word, has]) => (has ? [word] : []));
    const refused = refusalOf(script, also);
    if (refused) this.page.notify(refused);
    if (s.viewers > 1) return; // time is everybody's
    const { gps, step = 1 } = momentAt(script, 0, 1);
    if (gps) this.page.link.send({ do: "speed", step: String(step), perSecond: gps });
    if (script.autostart) this.page.link.send({ do: "play" });
  }

  /** Looks as the script says at a generation. */
  follow(generation: number): void {
    if (this.script && !this.free) this.go(momentAt(this.script, generation, this.fitted), true);
  }

  private go({ x, y, zoom, angle }: Moment, atOnce: boolean): void {
    const { camera } = this.page;
    camera.angle = angle;
    camera.goTo({ x: this.box.x + this.box.w / 2 + x, y: this.box.y + this.box.h / 2 + y, zoom: zoom * camera.sharpness }, atOnce);
    this.page.repaint();
  }

  /** Goes to the next point of interest. */
  visit(): void {
    const pois = this.script?.pois;
    if (!pois?.length) return this.page.notify("This pattern has no points of interest.");
    this.free = true;
    this.poi = (this.poi + 1) % pois.length;
    this.go({ x: 0, y: 0, zoom: this.fitted, angle: 0, theme: "", ...pois[this.poi]! }, false);
  }

  /** The page's look in the colours of the script. */
  recolour(look: (theme: string) => Look): Look {
    return recoloured(look(this.theme), this.script?.colours ?? {});
  }

  /** Whether the theme of the script is another one at a generation, from now on. */
  turns(generation: number): boolean {
    const theme = this.script ? momentAt(this.script, generation, 1).theme : "";
    const other = theme !== this.theme;
    this.theme = theme;
    return other;
  }

  get shows(): boolean {
    return (this.script?.marks.length ?? 0) > 0;
  }

  paint(c: CanvasRenderingContext2D, generation: number): void {
    if (this.script) paintMarks(c, this.page.camera, [this.box.x, this.box.y], this.script, generation, this.page.look);
  }
}
