// The element <gosper-life>: a universe in anybody's page, without a server. Each element has a worker of its own, which starts when the element comes
// into view. It is asked for one step after the other, so an element out of view costs nothing, and STOP and LOOP are exact.

import { Camera, type Place, type Rect } from "./camera";
import { Drawing } from "./drawing";
import style from "./embed.css";
import type { Frame } from "./frame";
import { drawGrid } from "./grid";
import { paintMarks, refusalOf } from "./guide";
import { Link, type Status } from "./link";
import { LocalSocket } from "./local";
import { readLook, recoloured } from "./look";
import { grouped, short } from "./numbers";
import { longestCells, orderOf, pack, readPermalink, unpack, writePermalink, type Permalink } from "./permalink";
import { Plain } from "./plain";
import { follow } from "./pointer";
import { compile } from "./program";
import { momentAt, readScript, type Moment, type Script } from "./script";
import { regionFor, type Region } from "./viewport";

const folder = new URL(".", import.meta.url).href;
const near = "200px"; // out of view, where a universe is made already
const usualSpeed = 30; // steps a second
const mostLate = 0.2; // seconds of steps that are made up for

/** The program, fetched and compiled once for all elements of a page. */
let program: Promise<WebAssembly.Module> | null = null;

/** The paths of icons, 24×24. */
const icons = {
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  step: "M6.5 6v12l8.5-6zM17.5 6v12",
  previous: "M17.5 6v12L9 12zM6.5 6v12",
  start: "M19 6v12l-6.5-6zM12.5 6v12L6 12zM4.5 6v12",
  plus: "M6 12h12M12 6v12",
  minus: "M6 12h12",
  fit: "M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15",
  page: "M10 5H5v14h14v-5M14 4.5h5.5V10M19 5l-8 8",
};

/** The source of an element: the bytes of a pattern, or a link that makes the universe. */
interface Source {
  bytes: Uint8Array<ArrayBuffer> | null;
  text: string; // of the pattern, for its script; empty: it is packed
  link: Permalink;
}

export class GosperLife extends HTMLElement {
  static observedAttributes = ["rle", "src", "link", "rule", "script", "width", "height", "controls"];

  private canvas = document.createElement("canvas");
  private readout = part("span", "readout");
  private notice = part("p", "notice");
  private bar = part("div", "bar");
  private toggle = button("Play", icons.play, () => (this.paused ? this.play() : this.pause()));
  private page = part("a", "icon");

  private camera = new Camera();
  private screen = new Plain(this.canvas);
  private look = readLook(true, false, false, null, this);
  private link: Link | null = null; // null: the element has not been in view
  private script: Script = readScript("");
  private told: Permalink["at"]; // where the link looks
  private status: Status | null = null;
  private universe: Rect | null = null;
  private region: Region | null = null;
  private arrived: Frame | null = null; // not on the screen yet
  private origin: { generation: number; box: Rect } | null = null; // of the pattern; null: it is not there yet
  private reads = 0; // how many sources have been read
  private done: ((s: Status) => boolean) | null = null; // whether the worker has done what it was asked for; null: it was asked for nothing
  private waiting: (() => void)[] = []; // what is to be done then, one after the other
  private drawing: Drawing;
  private loads = 0; // how many of the actions that can be undone have made the universe
  private plays = false;
  private late = 0; // seconds that have passed without a step
  private theme = ""; // of the picture; empty: the page's
  private fitted = 1; // the zoom at which the pattern fills the view
  private pasted = new Set<number>(); // generations whose pastes are done
  private poi = -1; // the point of interest gone to last
  private moved = false; // somebody has moved the view
  private inView = false;
  private ticks = false;
  private last = 0;
  private dirty = true;
  private watcher = new IntersectionObserver((entries) => this.appear(entries.at(-1)!.isIntersecting), { rootMargin: near });
  private sizes = new ResizeObserver(() => this.resize());
  private dark = matchMedia("(prefers-color-scheme: dark)");
  private relook = () => {
    this.readLook();
    this.redraw();
  };

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    this.canvas.role = "img";
    this.canvas.tabIndex = 0;
    this.canvas.onkeydown = (e) => this.press(e);
    this.notice.role = "status";
    this.bar.role = "toolbar";
    this.bar.ariaLabel = "Run";
    this.notice.hidden = this.bar.hidden = true;
    Object.assign(this.page, { title: "Open in a page of its own", ariaLabel: "Open in a page of its own", target: "_blank", rel: "noopener" });
    this.page.append(icon(icons.page));
    const picture = part("div", "picture");
    picture.append(this.canvas, this.notice);
    this.bar.append(
      this.toggle,
      button("Previous generation", icons.previous, () => this.stepBack()),
      button("Next generation", icons.step, () => this.step()),
      button("Back to the start", icons.start, () => this.reset()),
      this.readout,
      button("Zoom out", icons.minus, () => this.move(() => this.camera.zoomBy(0.5))),
      button("Zoom in", icons.plus, () => this.move(() => this.camera.zoomBy(2))),
      button("Show everything", icons.fit, () => this.move(() => this.fit())),
      this.page,
    );
    root.append(picture, this.bar);
    const life = this;
    this.drawing = new Drawing({
      get link() {
        return life.link!; // nobody draws before it is there
      },
      get universe() {
        return life.universe;
      },
      get status() {
        return life.status;
      },
      renderer: this.screen,
      notify: (text) => this.complain(text),
      redraw: () => this.redraw(),
    });
    follow(this.canvas, {
      camera: this.camera,
      drawing: () => this.editable && this.origin !== null && this.link!.isOpen,
      begin: (x, y) => {
        this.notice.hidden = true;
        return this.drawing.begin(x, y, 1);
      },
      line: (x0, y0, x1, y1) => this.drawing.line(x0, y0, x1, y1),
      end: () => this.drawing.end(),
      cancel: () => this.drawing.cancel(),
      hover: () => {},
      moved: () => this.move(() => {}),
      takesWheel: (e) => e.ctrlKey || e.metaKey, // otherwise the page scrolls
    });
  }

  connectedCallback(): void {
    this.relook();
    this.dark.addEventListener("change", this.relook);
    this.camera.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.watcher.observe(this);
    this.sizes.observe(this.canvas);
  }

  disconnectedCallback(): void {
    this.watcher.disconnect();
    this.sizes.disconnect();
    this.dark.removeEventListener("change", this.relook);
    this.inView = false;
    this.link?.close();
    this.link = this.status = this.origin = this.region = null;
    this.reads++;
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null): void {
    if (name === "width" || name === "height") this.style[name] = Number(value) > 0 ? `${Number(value)}px` : "";
    else if (name === "controls") this.bar.hidden = value === null;
    else if (this.status) void this.load();
  }

  /** The present generation; NaN: the universe is not there yet. */
  get generation(): number {
    return this.origin ? Number(this.status!.generation) : NaN;
  }

  /** The number of cells that live in the present generation; NaN: it is not known. */
  get population(): number {
    return this.origin && this.status!.counted === this.status!.generation ? Number(this.status!.population) : NaN;
  }

  get paused(): boolean {
    return !this.plays;
  }

  play(): void {
    this.plays = true;
    this.late = 0;
    this.show();
  }

  pause(): void {
    this.plays = false;
    this.show();
  }

  /** Goes on by one generation; stops first if it plays. */
  step(): void {
    if (this.plays) this.pause();
    else if (this.origin && !this.busy) this.advance(1);
  }

  /** Goes back to the start, and to the view of it. */
  reset(): void {
    if (!this.origin) return;
    const { generation } = this.origin;
    this.inTurn(() => {
      if (!this.plays) this.lookAtStart();
      if (this.generation === generation) return;
      this.pasted = new Set();
      this.link?.send({ do: "jump", generation: String(generation) });
      this.done = (s) => !s.playing && s.loading === null && Number(s.generation) === generation;
    });
  }

  /** Takes back the last action since the universe was there, or does it again, and stops. */
  private goBack(what: "undo" | "redo"): void {
    if (!this.editable || !this.origin) return;
    this.pause();
    this.inTurn(() => {
      const { undo, redo, drawn } = this.status!;
      if (what === "undo" ? undo <= this.loads : redo === 0) return;
      this.link!.send({ do: what });
      this.done = (s) => BigInt(s.drawn) > BigInt(drawn) && s.loading === null;
    });
  }

  /** Does something now, or when the worker has done what it was asked for before. */
  private inTurn(what: () => void): void {
    if (this.busy) this.waiting.push(what);
    else what();
  }

  /** Whether the worker has been asked for something that it has not done yet. */
  private get busy(): boolean {
    return this.done !== null || this.drawing.stroke.waits;
  }

  private get editable(): boolean {
    return this.hasAttribute("editable");
  }

  private appear(inView: boolean): void {
    this.inView = inView;
    if (!inView) return;
    this.link ??= this.begin();
    if (!this.ticks) requestAnimationFrame(this.tick);
    this.ticks = true;
    this.last = performance.now();
  }

  /** Starts the worker. */
  private begin(): Link {
    program ??= compile(folder);
    const given = program;
    given.catch((e: unknown) => {
      program = null; // another element tries again
      this.complain(e instanceof Error ? e.message : String(e));
    });
    return new Link(
      "",
      { token: "" },
      {
        frame: (f) => (this.arrived = f),
        status: (s) => this.learn(s),
        problem: (text) => {
          this.complain(text);
          this.done = null;
          this.waiting = [];
          this.drawing.stroke.forget();
          this.pause();
        },
        connected: () => {
          // The first look at nothing much gets the first status.
          this.link!.send({ do: "view", x: 0, y: 0, scale: 0, w: 1, h: 1 });
          void this.load();
        },
        disconnected: () => {
          this.link?.close();
          if (this.notice.hidden) this.complain("The universe has ended: its worker stopped.");
        },
        series: () => {},
        pattern: () => {},
        film: () => {},
        clip: () => {},
        area: () => {},
        objects: () => {},
        places: () => {},
        sized: () => {},
      },
      () => new LocalSocket(new URL("worker.js", folder).href, given),
    );
  }

  /** Has the worker make the universe that the attributes name. */
  private async load(): Promise<void> {
    const reading = ++this.reads;
    const before = this.status?.loaded ?? "1"; // the worker begins with an empty universe
    this.origin = null;
    this.notice.hidden = true;
    let source: Source;
    try {
      source = await this.read();
    } catch (e) {
      if (reading === this.reads) this.complain(e instanceof Error ? e.message : String(e));
      return;
    }
    if (reading !== this.reads || !this.link) return;
    const { bytes, text, link } = source;
    this.script = readScript(text, this.getAttribute("script") ?? "");
    const refused = refusalOf(this.script);
    if (refused) this.complain(refused);
    this.told = link.at;
    this.moved = false;
    this.waiting = [];
    const generation = Number(link.generation ?? 0);
    this.done = (s) => s.loaded !== before && s.loading === null && !s.playing && Number(s.generation) >= generation;
    if (bytes) {
      this.link.sendPattern(bytes);
      if (generation > 0) this.link.send({ do: "jump", generation: String(generation) });
    } else this.link.send(orderOf(link)!);
    const rle = text && (await pack(text));
    this.page.href = new URL("index.html", folder).href + writePermalink(rle ? { rle } : link);
    this.page.hidden = bytes !== null && (!rle || rle.length > longestCells);
  }

  /** Finds out what to show: the attribute rle, src or link, or else the text inside the element. */
  private async read(): Promise<Source> {
    const rule = this.getAttribute("rule") ?? "";
    const [rle, src, link] = ["rle", "src", "link"].map((name) => this.getAttribute(name));
    if (link) {
      const want = readPermalink(link.slice(link.indexOf("#")));
      if (want?.rle && !want.start) return { ...(await this.cells(want.rle, want.rule ?? rule)), link: want };
      if (!want || !orderOf(want)) throw new Error("The link names no universe: it wants rle, pattern or seed.");
      return { bytes: null, text: "", link: want };
    }
    if (src) {
      const answer = await fetch(new URL(src, this.baseURI));
      if (!answer.ok) throw new Error(`${src}: ${answer.status} ${answer.statusText}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
      return { bytes, text: packed ? "" : new TextDecoder().decode(bytes), link: {} };
    }
    const text = rle ?? this.textContent!.replace(/^\s+/gm, "");
    if (!text.trim()) throw new Error("There is nothing to show: the element wants rle, src, link or the text of a pattern.");
    return { ...(await this.cells(text, rule)), link: {} };
  }

  private async cells(rle: string, rule: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; text: string }> {
    try {
      const bytes = await unpack(rle, rule);
      return { bytes, text: new TextDecoder().decode(bytes) };
    } catch {
      throw new Error("The pattern cannot be read: a part of it may be missing.");
    }
  }

  private learn(s: Status): void {
    const before = this.status;
    this.status = s;
    this.drawing.learn(s, before);
    this.loads = Math.min(this.loads, s.undo); // the oldest actions are forgotten
    this.camera.lattice = s.lattice;
    this.universe = s.bounded ? { x: 0, y: 0, w: s.width, h: s.height } : null;
    if (before && (s.loaded !== before.loaded || s.rule !== before.rule)) {
      this.screen.forget();
      this.arrived = null;
      this.link!.acknowledge();
    }
    if (this.done?.(s)) {
      this.done = null;
      if (!this.origin) this.start(s);
      else if (this.plays && Number(s.generation) === this.script.stop) this.pause();
    }
    while (!this.busy && this.waiting.length > 0) this.waiting.shift()!();
    this.show();
  }

  /** The universe is there. */
  private start(s: Status): void {
    const [x, y, w, h] = s.box;
    this.origin = { generation: Number(s.generation), box: { x, y, w, h } };
    const texts = this.script.marks.map((m) => m.text).filter((text) => text);
    this.canvas.ariaLabel = [`${s.name || s.ruleName || s.rule}, a cellular automaton`, ...texts].join(". ");
    this.pasted = new Set();
    this.loads = s.undo;
    this.readLook(); // what is on the screen is not this universe yet
    this.lookAtStart();
    if (this.script.autostart || this.hasAttribute("autoplay")) this.play();
  }

  private readLook(): void {
    this.theme = this.origin ? this.moment().theme : "";
    this.look = recoloured(readLook(true, this.script.grid, false, this.status?.colours ?? null, this, this.theme), this.script.colours);
  }

  /** Draws the frame on display again: its cells or colours have changed. */
  private redraw(): void {
    if (this.screen.current) this.screen.take(this.screen.current, this.look, this.status?.states ?? 2);
    this.dirty = true;
  }

  private show(): void {
    const s = this.status;
    this.toggle.ariaLabel = this.toggle.title = this.plays ? "Pause" : "Play";
    this.toggle.querySelector("path")!.setAttribute("d", this.plays ? icons.pause : icons.play);
    this.readout.textContent = s && this.origin ? `${grouped(s.generation)}${this.clientWidth > 400 ? ` · ${short(Number(s.population))} alive` : ""}` : "";
  }

  private complain(text: string): void {
    this.notice.textContent = text;
    this.notice.hidden = false;
  }

  /** One turn of the screen. */
  private tick = (now: number): void => {
    this.ticks = this.inView && this.link !== null;
    if (!this.ticks) return;
    const ms = Math.min(Math.max(now - this.last, 0), 100);
    this.last = now;
    if (this.camera.advance(ms)) this.dirty = true;
    this.ask();
    const f = this.arrived;
    this.arrived = null;
    if (f) {
      this.drawing.lay(f);
      this.screen.take(f, this.look, this.status?.states ?? 2);
      this.track(Number(f.generation));
      this.dirty = true;
    }
    if (this.dirty) this.paint();
    if (f) this.link!.acknowledge();
    this.drive(ms / 1000);
    requestAnimationFrame(this.tick);
  };

  /** Asks for the steps that are due. */
  private drive(seconds: number): void {
    if (!this.plays || !this.origin) return;
    const { stop, loop } = this.script;
    const { gps = usualSpeed, step = 1 } = this.moment();
    this.late = Math.min(this.late + seconds, Math.max(mostLate, 1 / gps));
    if (this.busy) return;
    const at = this.generation;
    if (loop !== undefined && at >= loop && loop > this.origin.generation) {
      this.reset();
      return;
    }
    if (this.paste(at)) return;
    const due = Math.floor(this.late * gps + 1e-9);
    if (due < 1) return;
    this.late -= due / gps;
    this.advance(Math.min(due * step, ...[stop, loop, ...this.stops].filter((end) => end !== undefined && end > at).map((end) => end! - at)));
  }

  /** The generations at which a paste is due or a waypoint changes the speed. */
  private get stops(): number[] {
    const { pastes, path } = this.script;
    return [...pastes, ...path].map(({ at }) => this.origin!.generation + at);
  }

  /** Pastes what is due at a generation; false: nothing is. */
  private paste(at: number): boolean {
    const time = at - this.origin!.generation;
    const due = this.script.pastes.filter((p) => p.at === time);
    if (due.length === 0 || this.pasted.has(time)) return false;
    this.pasted.add(time);
    const { x, y } = this.origin!.box;
    const written = BigInt(this.status!.drawn) + BigInt(due.length);
    for (const p of due) {
      this.link!.send({ do: "hold", text: p.rle });
      this.link!.send({ do: "paste", x: x + p.x, y: y + p.y, mode: p.mode });
    }
    this.done = (s) => BigInt(s.drawn) >= written;
    return true;
  }

  private advance(generations: number): void {
    const to = this.generation + generations;
    this.link?.send({ do: "step", n: String(generations) });
    this.done = (s) => !s.playing && Number(s.generation) >= to;
  }

  private ask(): void {
    if (!this.origin) return;
    const r = regionFor(this.camera, this.universe, this.region);
    if (r === this.region) return;
    this.region = r;
    this.link!.send({ do: "view", ...r, x: r.x / 2 ** r.scale, y: r.y / 2 ** r.scale });
  }

  private paint(): void {
    this.screen.paint(this.camera, this.look, this.universe);
    const c = this.canvas.getContext("2d")!;
    drawGrid(c, this.camera, this.look, this.universe);
    this.dirty = false;
    const { x, y } = this.origin?.box ?? { x: 0, y: 0 };
    if (this.origin) paintMarks(c, this.camera, [x, y], this.script, this.generation - this.origin.generation, this.look);
  }

  private resize(): void {
    const { canvas, camera } = this;
    camera.width = canvas.width = Math.max(1, Math.round(canvas.clientWidth * this.camera.sharpness));
    camera.height = canvas.height = Math.max(1, Math.round(canvas.clientHeight * this.camera.sharpness));
    if (this.origin && !this.moved) this.lookAtStart();
    this.dirty = true;
  }

  /** Somebody moves the view: it follows nothing any more. */
  private move(how: () => void): void {
    this.moved = true;
    how();
    this.dirty = true;
  }

  private fit(): void {
    const [x, y, w, h] = this.status?.box ?? [0, 0, 0, 0];
    if (w > 0) this.camera.fit({ x, y, w, h });
  }

  /** Looks where the link or the script says, or at all of the pattern. */
  private lookAtStart(): void {
    this.moved = false;
    this.camera.fit(this.origin!.box, 0, 0, 0, 0, true);
    this.fitted = this.camera.now.zoom;
    this.camera.goTo(this.home(), true);
    this.track(this.generation);
    this.dirty = true;
  }

  /** The view that the script asks for at a generation. */
  private moment(generation = this.generation): Moment {
    return momentAt(this.script, Math.max(generation - this.origin!.generation, 0), this.fitted / this.camera.sharpness);
  }

  private home(generation = this.generation): Place {
    if (this.told) return { x: this.told[0], y: this.told[1], zoom: this.told[2] };
    const { box } = this.origin!;
    const { x, y, zoom, angle } = this.moment(generation);
    this.camera.angle = angle;
    return { x: box.x + box.w / 2 + x, y: box.y + box.h / 2 + y, zoom: zoom * this.camera.sharpness };
  }

  /** Goes on as the script says. */
  private track(generation: number): void {
    if (!this.origin) return;
    if (this.moment(generation).theme !== this.theme) this.relook();
    if (this.moved || this.told) return;
    const { autofit, track, path } = this.script;
    const [x, y, w, h] = this.status!.box;
    if (autofit && w > 0) {
      const nearer = this.camera.dwarfs({ x, y, w, h }, 0, 0, 0, 0);
      if (nearer || !this.camera.holds({ x, y, w, h }, 0, 0, 0, 0)) this.camera.fit({ x, y, w, h }, 0, 0, 0, 0, false, !nearer);
    } else if (track || path.length > 1) this.camera.goTo(this.home(generation), true);
  }

  /** Goes to the next point of interest of the script. */
  private visit(): void {
    const { pois } = this.script;
    if (pois.length === 0 || !this.origin) return;
    this.poi = (this.poi + 1) % pois.length;
    const { x = 0, y = 0, zoom, angle = 0 } = pois[this.poi]!;
    const { box } = this.origin;
    this.move(() => {
      this.camera.angle = angle;
      this.camera.goTo({ x: box.x + box.w / 2 + x, y: box.y + box.h / 2 + y, zoom: zoom ? zoom * this.camera.sharpness : this.camera.now.zoom });
    });
  }

  /** Goes back by one generation; stops first if it plays. */
  stepBack(): void {
    if (this.plays) this.pause();
    else if (this.origin && !this.done && this.generation > this.origin.generation) {
      const to = this.generation - 1;
      this.link?.send({ do: "jump", generation: String(to) });
      this.done = (s) => !s.playing && s.loading === null && Number(s.generation) === to;
    }
  }

  /** The keys are those of the page. */
  private press(e: KeyboardEvent): void {
    if (e.altKey || e.metaKey || (e.ctrlKey && !(this.editable && /^[zy]$/i.test(e.key)))) return;
    const glide = (x: number, y: number) => () => this.move(() => this.camera.glide(0.2 * x, 0.2 * y));
    const keys: { [key: string]: () => void } = {
      Enter: () => (this.paused ? this.play() : this.pause()),
      " ": () => (e.shiftKey ? this.stepBack() : this.step()),
      Home: () => this.reset(),
      f: () => this.move(() => this.fit()),
      p: () => this.visit(),
      z: () => this.goBack(e.shiftKey ? "redo" : "undo"),
      y: () => e.ctrlKey && this.goBack("redo"),
      "[": () => this.move(() => this.camera.zoomBy(0.5)),
      "]": () => this.move(() => this.camera.zoomBy(2)),
      ArrowLeft: glide(-1, 0),
      ArrowRight: glide(1, 0),
      ArrowUp: glide(0, -1),
      ArrowDown: glide(0, 1),
    };
    const key = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!key) return;
    e.preventDefault();
    key();
  }
}

function part<K extends keyof HTMLElementTagNameMap>(tag: K, kind: string): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), { className: kind });
}

function icon(path: string): SVGElement {
  const make = (tag: string) => document.createElementNS("http://www.w3.org/2000/svg", tag);
  const [svg, line] = [make("svg") as SVGElement, make("path")];
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.ariaHidden = "true";
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

function button(name: string, path: string, press: () => void): HTMLButtonElement {
  const b = Object.assign(part("button", "icon"), { type: "button", title: name, ariaLabel: name, onclick: press });
  b.append(icon(path));
  return b;
}

customElements.define("gosper-life", GosperLife);
