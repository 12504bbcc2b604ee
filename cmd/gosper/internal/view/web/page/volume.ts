// The page of a universe of three dimensions. Its cells come over the same link as those of a universe of two: as the grid of columns and rows
// that stores them, layer after layer.

import { setState, stateAt, type Frame } from "./frame";
import { Link, type Listener, type Status } from "./link";
import { mix, readLook, type RGB } from "./look";
import { grouped } from "./numbers";
import { cut, Orbit, pick, rayThrough, type Box, type Eye, type Slice, type Vector } from "./orbit";
import { RuleBox, type NamedRule } from "./rulebox";
import { forgetKey, keepKey, sessionName, takeKey } from "./session";
import { Asked, describe, nextRung, speedOf } from "./speed";
import { person, takeToken } from "./token";
import { colourings, Voxels, type Cells, type Colouring, type Style } from "./voxels";

const mostCells = 1 << 24; // that the server sends at once (view/scene/region.go)
const noticeFor = 5000; // ms
const sharpest = 1.5; // device pixels per CSS pixel that are worth drawing
const oldest = 72; // generations after which colours by age stay

const element = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
const input = (id: string) => element<HTMLInputElement>(id);
const axes = ["x", "y", "z"];

class VolumePage {
  private stage = element("universe");
  private canvas = element<HTMLCanvasElement>("cells");
  private voxels = new Voxels(this.canvas);
  private orbit = new Orbit();
  private status: Status | null = null;
  private asked = new Asked();
  private frame: Frame | null = null; // on the screen
  private arrived: Frame | null = null; // not on the screen yet
  private cells: Cells | null = null; // that were asked for
  private box: Box | null = null; // that is drawn, in cells of the frame
  private slice: Slice | null = null;
  private colouring: Colouring = "state";
  private style: Style;
  private dirty = true;
  private stroke: Map<string, Vector> | null = null; // cells that are being drawn
  private drawn = 1; // the state that the stroke gives them
  private pointers = new Map<number, [number, number]>();
  private noticeEnds = 0;
  private link: Link;
  private name = sessionName();
  private rules: RuleBox;

  constructor() {
    this.style = this.restyle();
    this.rules = new RuleBox(element("rule"), element("rule-list"), (rule) => this.link.send({ do: "rule", rule }));
    void fetch("volume-rules.json")
      .then((answer) => answer.json())
      .then((rules: NamedRule[]) => (this.rules.catalogue = rules));
    const socket = new URL(this.name ? `${this.name}/socket` : "socket", location.href.split("?")[0]!.replace(/^http/, "ws")).href.split("#")[0]!;
    const nothing = () => {};
    const listener: Listener = {
      frame: (f) => (this.arrived = f),
      status: (s) => this.learn(s),
      series: nothing,
      pattern: nothing,
      film: nothing,
      clip: nothing,
      area: nothing,
      objects: nothing,
      places: nothing,
      sized: nothing,
      session: (about) => keepKey(about),
      problem: (text) => this.notify(text, true),
      connected: () => {
        this.cells = null;
        this.hush();
        this.link.send({ do: "view", x: 0, y: 0, scale: 0, w: 1, h: 1, channel: "density" }); // and the status comes
      },
      disconnected: (why) => {
        if (why.refused === "gone") forgetKey(this.name);
        this.notify(why.words || (why.refused === "token" ? "This server wants a token: open this page with #token=SECRET." : "The connection is lost."), true, Infinity);
      },
    };
    const secrets = { token: takeToken(), key: takeKey(this.name), person: person() };
    this.link = new Link(socket, secrets, listener, undefined, this.name ? "list.json" : "stats");
    this.connectRun();
    this.connectLook();
    this.connectPointer();
    this.connectKeys();
    this.openPanel(innerWidth > 1000);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.style = this.restyle()));
    requestAnimationFrame((t) => this.tick(t));
  }

  /** One turn of the screen. */
  private tick(now: number): void {
    const f = this.arrived;
    this.arrived = null;
    const { cells } = this;
    const fits = f && cells && f.y === cells.first * cells.h && f.w === cells.w && f.h === cells.h * cells.d;
    if (fits) {
      this.frame = f;
      this.voxels.take(f, cells, this.colouring === "age");
      this.dirty = true;
      this.stage.dataset.frames = String(Number(this.stage.dataset.frames ?? 0) + 1);
      this.stage.dataset.generation = String(f.generation);
    }
    const ratio = Math.min(devicePixelRatio, sharpest);
    const [w, h] = [Math.round(this.stage.clientWidth * ratio), Math.round(this.stage.clientHeight * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      [this.canvas.width, this.canvas.height] = [w, h];
      this.dirty = true;
    }
    if (this.dirty) this.paint();
    if (f) this.link.acknowledge();
    if (this.noticeEnds > 0 && now > this.noticeEnds) this.hush();
    requestAnimationFrame((t) => this.tick(t));
  }

  private paint(): void {
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

  private learn(s: Status): void {
    if (s.loading !== null && (s.loaded === "0" || s.loading >= 0)) this.notify(s.loading < 0 ? "Reading the universe…" : `Loading the universe: ${Math.round(100 * s.loading)}\u2009%`, false, Infinity);
    else if (this.noticeEnds === Infinity && !element("notice").classList.contains("wrong")) this.hush();
    if (s.loaded === "0") return;
    if (s.depth === 0) return void (location.search = ""); // the page of two dimensions
    const before = this.status;
    this.asked.lay(s, performance.now());
    this.status = s;
    const [w, h] = [s.width, s.height / s.depth];
    const longest = this.voxels.longest;
    if (w * h > mostCells || w > longest || h > longest) {
      this.notify(`A layer of ${grouped(w)}×${grouped(h)} cells is too large for this page: gosper render draws it.`, true, Infinity);
      return;
    }
    if (!this.cells || this.cells.w !== w || this.cells.h !== h || before?.depth !== s.depth) {
      const d = Math.min(s.depth, Math.floor(mostCells / (w * h)), longest);
      this.cells = { w, h, d, first: Math.floor((s.depth - d) / 2) };
      this.box = { low: [0, 0, 0], high: [w, h, d] };
      this.slice = null;
      this.frame = null;
      element<HTMLSelectElement>("slice-axis").value = "";
      input("size").value = [w, h, s.depth].every((side) => side === w) ? String(w) : `${w}x${h}x${s.depth}`;
      this.link.send({ do: "view", x: 0, y: this.cells.first * h, scale: 0, w, h: d * h, channel: "density" });
      this.showLook();
    }
    if (before?.rule !== s.rule) {
      this.style = this.restyle();
      this.rules.value = s.rule.split(":")[0]!;
      input("state").value = "1";
      this.stage.dataset.states = String(s.states);
    }
    this.showStatus(s);
  }

  private showStatus(s: Status): void {
    element("rule-name").textContent = s.ruleName || s.rule.split(":")[0]!;
    document.title = `${s.ruleName || s.rule} · Gosper`;
    const readout = element("readout");
    readout.replaceChildren();
    for (const [value, unit] of [[grouped(s.generation), "gen"], [grouped(s.population), "cells"]]) {
      const bold = document.createElement("b");
      bold.textContent = value!;
      readout.append(bold, ` ${unit} `);
    }
    Object.assign(readout.dataset, { generation: s.generation, population: s.population, playing: String(s.playing) });
    element("play-icon").setAttribute("href", s.playing ? "#i-pause" : "#i-play");
    element("play").ariaLabel = s.playing ? "Pause" : "Play";
    element("speed").textContent = describe(s);
    element<HTMLButtonElement>("undo").disabled = !s.undo;
    element<HTMLButtonElement>("redo").disabled = !s.redo;
    if (s.failure) this.notify(s.failure, true, Infinity);
  }

  /** Shows the slice and the box in the controls. */
  private showLook(): void {
    const { box, cells, slice } = this;
    if (!box || !cells) return;
    const from = [0, 0, cells.first];
    axes.forEach((axis, i) => {
      for (const [id, value] of [[axis + "0", box.low[i]! + from[i]!], [axis + "1", box.high[i]! - 1 + from[i]!]] as const) {
        input(id).value = String(value);
      }
    });
    element("box-note").textContent = this.status && cells.d < this.status.depth ? `The page shows layers ${cells.first} to ${cells.first + cells.d - 1} of ${this.status.depth}.` : "";
    const range = input("slice");
    range.disabled = !slice;
    if (slice) {
      const shift = from[slice.axis]!;
      [range.min, range.max, range.value] = [String(box.low[slice.axis]! + shift), String(box.high[slice.axis]! - 1 + shift), String(slice.at + shift)];
    }
    element("slice-value").textContent = slice ? `${axes[slice.axis]} = ${range.value}` : "";
    const draws = element("draw").ariaPressed === "true";
    this.stage.classList.toggle("drawing", draws);
    this.dirty = true;
  }

  /** Reads the colours of the style sheet, and mixes those of cells from them. */
  private restyle(): Style {
    const look = readLook(false, false, false, this.status?.colours ?? null);
    const root = getComputedStyle(document.documentElement);
    const named = (name: string): RGB => {
      const n = parseInt(root.getPropertyValue(name).trim().slice(1), 16);
      return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
    };
    const [accent, cold, warm, still] = [look.accent, named("--oscillator"), named("--restless"), named("--still")];
    const states = this.status?.states ?? 2;
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
    this.dirty = true;
    return { colouring: this.colouring, shadows: true, paper: look.paper, line: mix(look.paper, look.ink, 0.5), accent, palette };
  }

  private connectRun(): void {
    const send = (id: string, command: () => { do: string }) => (element(id).onclick = () => this.link.send(command()));
    send("play", () => ({ do: this.status?.playing ? "pause" : "play" }));
    send("step", () => ({ do: "step", n: "1" }));
    send("undo", () => ({ do: "undo" }));
    send("redo", () => ({ do: "redo" }));
    send("reset", () => ({ do: "reset" }));
    element("faster").onclick = () => this.speed(1);
    element("slower").onclick = () => this.speed(-1);
    input("density").oninput = () => (element("density-value").textContent = input("density").value + " %");
    element<HTMLFormElement>("soup").onsubmit = (e) => {
      e.preventDefault();
      this.fill();
    };
  }

  private speed(by: number): void {
    if (!this.status) return;
    const next = speedOf(nextRung(this.status, by));
    if (!this.link.send({ do: "speed", ...next })) return;
    this.asked.ask(next, performance.now());
    Object.assign(this.status, next);
    element("speed").textContent = describe(this.status);
  }

  /** Fills a volume of the size that is asked for with a soup. */
  private fill(): void {
    if (!this.status) return;
    const sides = input("size").value.trim().split(/[x×, ]+/).map(Number);
    if (sides.length === 1) sides.push(sides[0]!, sides[0]!);
    if (sides.length !== 3 || !sides.every((side) => Number.isInteger(side) && side > 0)) return this.notify("A size is one number or three, as in 64 or 64x48x32.", true);
    const [rule, suffix] = this.status.rule.split(":");
    const kind = suffix?.startsWith("P") ? "P" : "T";
    const seed = input("seed").value || String(Math.floor(Math.random() * 2 ** 32));
    this.link.send({ do: "soup", rule: `${rule}:${kind}${sides.join(",")}`, density: Number(input("density").value) / 100, seed });
  }

  private connectLook(): void {
    const colour = element<HTMLSelectElement>("colour");
    colour.onchange = () => this.colourBy(colour.value as Colouring);
    element<HTMLSelectElement>("slice-axis").onchange = () => this.sliceAcross(element<HTMLSelectElement>("slice-axis").value);
    input("slice").oninput = () => {
      if (!this.slice || !this.cells) return;
      this.slice.at = Number(input("slice").value) - (this.slice.axis === 2 ? this.cells.first : 0);
      this.showLook();
    };
    for (const axis of axes) for (const end of ["0", "1"]) input(axis + end).onchange = () => this.clip();
    element("whole").onclick = () => {
      if (!this.cells) return;
      this.box = { low: [0, 0, 0], high: [this.cells.w, this.cells.h, this.cells.d] };
      this.showLook();
    };
    element("draw").onclick = () => this.toggleDrawing();
    element("zoom-in").onclick = () => this.magnify(1.25);
    element("zoom-out").onclick = () => this.magnify(0.8);
    element("fit").onclick = () => {
      this.orbit.zoom = 1;
      this.dirty = true;
    };
    element("panel-toggle").onclick = () => this.openPanel(element("panel").hidden);
    element("panel-close").onclick = () => this.openPanel(false);
  }

  private openPanel(open: boolean): void {
    element("panel").hidden = !open;
    element("panel-toggle").ariaExpanded = String(open);
  }

  private magnify(by: number): void {
    this.orbit.magnify(by);
    this.dirty = true;
  }

  private colourBy(colouring: Colouring): void {
    this.colouring = colouring;
    element<HTMLSelectElement>("colour").value = colouring;
    this.style = this.restyle();
    if (colouring === "age" && this.frame && this.cells) this.voxels.take(this.frame, this.cells, true);
  }

  private sliceAcross(axis: string): void {
    const i = axes.indexOf(axis);
    this.slice = i < 0 || !this.box ? null : { axis: i, at: Math.floor((this.box.low[i]! + this.box.high[i]!) / 2) };
    element<HTMLSelectElement>("slice-axis").value = axis;
    if (!this.slice) element("draw").ariaPressed = "false";
    this.showLook();
  }

  /** Draws or turns from now on. Drawing needs a slice. */
  private toggleDrawing(): void {
    const draws = element("draw").ariaPressed !== "true";
    element("draw").ariaPressed = String(draws);
    if (draws && !this.slice) this.sliceAcross("z");
    this.showLook();
  }

  /** Takes the box of the controls. */
  private clip(): void {
    if (!this.cells) return;
    const sides = [this.cells.w, this.cells.h, this.cells.d];
    const from = [0, 0, this.cells.first];
    const low = axes.map((axis, i) => Math.min(Math.max(Number(input(axis + "0").value) - from[i]!, 0), sides[i]! - 1)) as Vector;
    const high = axes.map((axis, i) => Math.min(Math.max(Number(input(axis + "1").value) - from[i]!, low[i]!), sides[i]! - 1) + 1) as Vector;
    this.box = { low, high };
    if (this.slice) this.slice.at = Math.min(Math.max(this.slice.at, low[this.slice.axis]!), high[this.slice.axis]! - 1);
    this.showLook();
  }

  private connectPointer(): void {
    const { stage, pointers } = this;
    const at = (e: PointerEvent): [number, number] => [e.clientX - stage.getBoundingClientRect().left, e.clientY - stage.getBoundingClientRect().top];
    stage.addEventListener("pointerdown", (e) => {
      stage.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, at(e));
      const draws = element("draw").ariaPressed === "true" && pointers.size === 1 && e.button === 0 && !e.shiftKey;
      const cell = draws && this.cellAt(...at(e));
      if (!cell || !this.frame || !this.cells) {
        if (pointers.size > 1) this.stroke = null;
        return;
      }
      this.showWhere(cell);
      const state = Math.min(Math.max(Math.floor(Number(input("state").value)) || 1, 1), (this.status?.states ?? 2) - 1);
      this.drawn = this.stateOf(cell) === state ? 0 : state;
      this.stroke = new Map();
      this.draw(cell);
    });
    stage.addEventListener("pointermove", (e) => {
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
      this.orbit.turn(-0.4 * (now[0] - before[0]), 0.4 * (now[1] - before[1]));
      this.dirty = true;
    });
    const up = (e: PointerEvent) => {
      pointers.delete(e.pointerId);
      this.endStroke();
    };
    stage.addEventListener("pointerup", up);
    stage.addEventListener("pointercancel", up);
    stage.addEventListener(
      "wheel",
      (e) => {
        e.preventDefault();
        this.magnify(Math.exp(-e.deltaY / 500));
      },
      { passive: false },
    );
  }

  /** The cell of the slice under a place on the stage. */
  private cellAt(px: number, py: number): Vector | null {
    if (!this.slice || !this.box) return null;
    const { eye, box, side } = this.view(this.box);
    return pick(this.slice, side, box, eye.at, rayThrough(eye, px, py, this.stage.clientWidth, this.stage.clientHeight));
  }

  private showWhere(cell: Vector | null): void {
    element("where").textContent = cell && this.cells ? `${cell[0]}, ${cell[1]}, ${cell[2] + this.cells.first}: state ${this.stateOf(cell)}` : "";
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
    const stroke = this.stroke;
    this.stroke = null;
    if (stroke?.size) this.link.send({ do: "edit", state: this.drawn, cells: [...stroke.values()].flatMap((cell) => [cell[0], this.row(cell)]) });
  }

  private connectKeys(): void {
    const click = (id: string) => () => element(id).click();
    const turn = (yaw: number, pitch: number) => () => {
      this.orbit.turn(yaw, pitch);
      this.dirty = true;
    };
    const move = (by: number) => () => {
      const range = input("slice");
      range.value = String(Number(range.value) + by);
      range.dispatchEvent(new Event("input"));
    };
    const next = <T>(list: readonly T[], now: T): T => list[(list.indexOf(now) + 1) % list.length]!;
    const keys: Record<string, () => void> = {
      Enter: click("play"),
      " ": click("step"),
      "+": click("faster"),
      "=": click("faster"),
      "-": click("slower"),
      "]": click("zoom-in"),
      "[": click("zoom-out"),
      f: click("fit"),
      c: click("draw"),
      z: click("undo"),
      Z: click("redo"),
      Home: click("reset"),
      a: () => this.colourBy(next(colourings, this.colouring)),
      s: () => this.sliceAcross(next(["", "z", "x", "y"], element<HTMLSelectElement>("slice-axis").value)),
      ",": move(-1),
      ".": move(1),
      ArrowLeft: turn(5, 0),
      ArrowRight: turn(-5, 0),
      ArrowUp: turn(0, 5),
      ArrowDown: turn(0, -5),
    };
    addEventListener("keydown", (e) => {
      const on = e.target as Element;
      if (e.ctrlKey || e.metaKey || e.altKey || on.closest("input, select, textarea") || (on.closest("button") && (e.key === " " || e.key === "Enter"))) return;
      const act = keys[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    });
  }

  private notify(text: string, wrong = false, lasts = noticeFor): void {
    const notice = element("notice");
    notice.textContent = text;
    notice.hidden = false;
    notice.classList.toggle("wrong", wrong);
    this.noticeEnds = lasts === Infinity ? Infinity : performance.now() + lasts;
  }

  private hush(): void {
    element("notice").hidden = true;
    this.noticeEnds = 0;
  }
}

try {
  new VolumePage();
} catch (e) {
  const notice = element("notice");
  notice.textContent = e instanceof Error ? e.message : String(e);
  notice.hidden = false;
  notice.classList.add("wrong");
}
