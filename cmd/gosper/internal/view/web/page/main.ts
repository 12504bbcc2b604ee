// The page: a camera over a universe that lives on the server. Files, links, time and what is done by hand have controllers of their own.

import { Camera, type Place, type Rect } from "./camera";
import type { Context } from "./context";
import { Far } from "./far";
import { Files } from "./files";
import { stateAt, type Frame } from "./frame";
import { showsGrid } from "./grid";
import { listen } from "./keyboard";
import { Link, type Listener, type Loss, type Sample, type Status } from "./link";
import { colourOf, hex, readLook, type Look } from "./look";
import { grouped, short } from "./numbers";
import { Objects } from "./objects";
import { element, Panel } from "./panel";
import { orderOf, readPermalink, unpack, type Permalink } from "./permalink";
import { Playback } from "./playback";
import { cellsOfLine, follow } from "./pointer";
import { screenOn } from "./renderer";
import { Selection } from "./selection";
import { forgetKey, sessionName, takeKey, type About } from "./session";
import { Sharing } from "./sharing";
import { describe } from "./speed";
import { Stroke } from "./stroke";
import { person, takeToken } from "./token";
import { regionFor, type Region } from "./viewport";

const seriesEvery = 500; // ms
const noticeFor = 5000;
const readingTime = 100; // ms between two numbers shown
const searchEvery = 2000; // ms
const sharpest = 2; // device pixels per CSS pixel that are worth drawing

class Page implements Context {
  readonly name = sessionName(); // of the session; empty: the server's first universe
  private stage = element("universe");
  readonly camera = new Camera();
  readonly renderer = screenOn(element<HTMLCanvasElement>("cells"), (f) => this.redraw(f));
  status: Status | null = null;
  universe: Rect | null = null;
  private arrived: Frame | null = null; // not on the screen yet
  private region: Region | null = null;
  private owed = true; // the frame of the newest status has not come yet
  look: Look;
  private dirty = true; // the picture has to be drawn anew, and what lies over it
  private last = 0;
  private overlay = element<HTMLCanvasElement>("overlay");
  private stroke: Stroke;
  private wanted: Permalink | null = readPermalink(location.hash);
  private place: Permalink["at"]; // where to look when the universe of the address is there
  private destination: string | null = null; // the generation to go to then
  private shown = ""; // which universe the camera looks at
  private places = new Map<string, Place>(); // of the camera, by universe
  private seen: Status | null = null; // the last one before the connection was lost
  private strangers = false; // the next frame has nothing to do with the last
  private loading = 0; // since when a universe has been on its way, 0: none is
  private files = new Files(this, (files, words) => this.panel.takeFolder(files, words));
  private sharing = new Sharing(this, this.files);
  private selection = new Selection(this, this.files, this.stage, () => {
    if (this.finds && this.status) this.seek(this.status);
    this.dirty = true;
  });
  private editor = this.selection.editor;
  private noticeEnds = 0;
  private reading = 0; // the timer that shows the next numbers
  private playback = new Playback(this, () => this.panel.graph);
  private objects: Objects;
  private keepsFitting = false; // everything is shown again when it leaves the view
  private finds = false; // objects are found whenever the universe is at rest
  private sought: string | null = null; // of which cells the objects were asked for last
  private searching = 0; // since when the server looks for objects; 0: it does not
  private nextSearch = 0; // when it may again, while the universe plays
  private far: Far;
  private panel: Panel;
  link!: Link;
  about: About | null = null; // null: there is nothing beside this universe

  constructor() {
    const secrets = { token: takeToken(), key: takeKey(this.name), person: person() };
    this.stroke = new Stroke((state, cells) => this.link.send({ do: "edit", state, cells }));
    this.panel = new Panel({
      rule: (text) => this.link.send({ do: "rule", rule: text }),
      soup: (density, size, seed) => this.link.send({ do: "soup", density, seed, width: size?.[0] ?? 0, height: size?.[1] ?? 0 }),
      builtin: (name) => this.link.send({ do: "builtin", name }),
      engine: (name) => this.link.send({ do: "engine", name }),
      pattern: (data) => void this.files.open(data),
      paste: (text) => this.selection.hold(text),
      jump: (text) => this.playback.jumpTo(text),
      scrub: (generation) => this.playback.scrub(generation),
      back: () => this.playback.stepBack(),
      mark: () => this.playback.mark(),
      look: () => this.relook(),
      fitting: (yes) => this.keepFitting(yes),
      numbers: () => {
        if (this.status) this.showStatus(this.status);
      },
      png: () => this.files.png(),
      gif: () => this.files.gif(),
      rle: () => this.files.rle(),
      link: () => this.sharing.copyLink(),
      problem: (text) => this.notify(text, true),
    });
    this.objects = new Objects(element<HTMLTableElement>("kinds").tBodies[0]!, element("objects-note"), {
      look: (r) => this.lookAt(r),
      redraw: () => (this.dirty = true),
    });
    this.far = new Far(element("channel"), element("next-active"), element("channel-legend"), element("channel-note"), {
      look: () => (this.region = null),
      goTo: (r) => this.closeUp(r),
      ask: (what) => this.link.send({ do: what }),
      say: (text) => this.notify(text),
    });
    this.look = this.readLook();
    const alone = document.documentElement.dataset.server === "none";
    const socket = new URL(this.name ? `${this.name}/socket` : "socket", location.href.replace(/^http/, "ws")).href.split("#")[0]!;
    const listener: Listener = {
      frame: (f) => this.receive(f),
      status: (s) => {
        this.owed = true;
        this.learn(s);
      },
      series: (s: Sample[]) => this.panel.graph.show(s),
      pattern: (rle) => this.files.take(rle),
      clip: (clip) => this.selection.take(clip),
      area: (r) => this.selection.takeArea(r),
      objects: (list) => {
        this.searched(false);
        if (!this.finds || !this.status) return;
        this.objects.take(list, this.status.rule, !this.status.playing && this.sought === this.cells(this.status));
        element<HTMLButtonElement>("rarest").disabled = list.at.length === 0;
      },
      places: (p) => this.far.take(p),
      sized: (largest) => {
        this.far.sized(largest);
        if (this.status) this.far.seek(this.status, this.cells(this.status));
      },
      film: (gif) => this.files.takeFilm(gif),
      problem: (text) => {
        this.files.filmed();
        this.far.refused();
        this.searched(true);
        this.stroke.forget();
        this.destination = null;
        this.playback.stay();
        this.selection.forget();
        this.notify(text, true);
      },
      session: (about) => {
        this.about = about;
        this.sharing.show(about);
        if (about.watch) this.selection.layDown();
      },
      connected: () => this.connected(),
      disconnected: (why) => this.disconnected(why),
    };
    this.link = new Link(alone ? "" : socket, secrets, listener, undefined, this.name ? "list.json" : "stats");
    this.connectControls();
    this.connectCanvas();
    this.connectKeys();
    this.panel.open(innerWidth > 1000);
    addEventListener("hashchange", () => {
      if (this.name && /[#&]key=/.test(location.hash)) return location.reload(); // another link to this session
      this.wanted = readPermalink(location.hash);
      if (this.status) this.learn(this.status);
    });
    setInterval(() => this.panel.isOpen && !document.hidden && this.link.send({ do: "series" }), seriesEvery);
    requestAnimationFrame((t) => this.tick(t));
  }

  /** One turn of the screen. */
  private tick(now: number): void {
    if (this.camera.advance(Math.min(now - this.last, 100))) this.dirty = true;
    this.last = now;
    this.ask();
    const f = this.arrived;
    this.arrived = null;
    if (f) {
      if (this.playback.leaps(String(f.generation)) || this.strangers) this.renderer.forget();
      const s = this.status;
      this.strangers = false;
      this.stroke.lay(f, this.status?.playing ?? false);
      const sampled = this.renderer.current?.sampled;
      this.renderer.take(f, this.look, this.states);
      this.selection.showWhere();
      if (s && f.sampled !== sampled) this.showStatus(s);
    }
    if (f || this.dirty) this.renderer.paint(this.camera, this.look, this.universe);
    if (this.dirty) this.paintOver();
    this.dirty = false;
    if (f) this.link.acknowledge();
    if (this.noticeEnds > 0 && now > this.noticeEnds) this.hush();
    const settled = String(this.settled);
    if (this.stage.dataset.settled !== settled) this.stage.dataset.settled = settled;
    requestAnimationFrame((t) => this.tick(t));
  }

  /** Whether the page shows a universe at rest as it is: nothing moves, all that was asked for has come, and the picture and the numbers are of that. */
  private get settled(): boolean {
    const { status: s, region: r } = this;
    const f = this.renderer.current;
    if (!s || !r || !f || s.playing || s.loading !== null || s.counted !== s.generation || !this.link.isOpen) return false;
    const pictured = f.x === r.x && f.y === r.y && f.scale === r.scale && f.w === r.w && f.h === r.h;
    const asked = this.searching > 0 || this.files.waits || this.selection.waits || this.stroke.waits;
    return this.camera.arrived && pictured && !this.owed && !asked && !this.reading && (!this.finds || this.sought === this.cells(s));
  }

  /** Draws what lies over the picture. A layer without anything would still be mixed into every frame. */
  private paintOver(): void {
    this.overlay.hidden = !showsGrid(this.camera, this.look) && !this.editor.shows && !this.objects.shows;
    if (this.overlay.hidden) return;
    this.editor.paint(this.overlay, this.camera, this.look, this.universe, (state) => hex(colourOf(this.look, this.states, state)));
    this.objects.paint(this.overlay, this.camera);
  }

  /** Tells the server what is seen, when that is something new. */
  private ask(): void {
    if (!this.status || !this.link.isOpen) return;
    const r = regionFor(this.camera, this.universe, this.region);
    if (r === this.region) return;
    this.region = r;
    this.link.send({ do: "view", ...r, x: r.x / 2 ** r.scale, y: r.y / 2 ** r.scale, channel: this.far.channel });
  }

  private receive(f: Frame): void {
    this.arrived = f;
    this.owed = false;
    this.stage.dataset.levels = String(f.channel);
    this.stage.dataset.frames = String(Number(this.stage.dataset.frames ?? 0) + 1);
  }

  private learn(s: Status): void {
    if (s.depth) return void (location.search = "volume"); // its page
    const before = this.status;
    this.playback.lay(s);
    this.status = s;
    if (s.universe !== before?.universe) this.stroke.forget();
    else this.stroke.written(Number(BigInt(s.drawn) - BigInt(before.drawn)));
    this.universe = s.bounded ? { x: 0, y: 0, w: s.width, h: s.height } : null;
    if (before && (s.universe !== before.universe || s.rule !== before.rule)) {
      this.strangers = true; // the frame of this status comes next
      this.arrived = null;
      this.link.acknowledge();
      if (element("notice").classList.contains("wrong") && this.noticeEnds < Infinity) this.hush(); // what was refused before is over
    }
    if (JSON.stringify(s.colours) !== JSON.stringify(before?.colours ?? null)) {
      this.relook();
      this.showStates(s);
    }
    if (s.rule !== before?.rule) this.selection.show();
    if (s.universe && s.universe !== this.shown) this.turnTo(s.universe);
    else if (before) this.shift(before.corner[0] - s.corner[0], before.corner[1] - s.corner[1]);
    if (this.seen && s.universe) {
      if (s.universe !== this.seen.universe) this.notify("The connection is back. This is another universe now.");
      else if (Number(s.generation) < Number(this.seen.generation)) this.notify("The connection is back. This universe is at an earlier generation now.");
      this.seen = null;
    }
    this.keepInView(s);
    this.selection.keepInside();
    if (this.wanted && s.loaded !== "0" && s.loading === null) {
      const want = this.wanted;
      this.wanted = null;
      this.place = want.at;
      if (this.name) history.replaceState(null, "", location.pathname); // the address is that of the session, whatever it shows later
      if (this.about?.watch || !this.follow(want)) this.goToPlace();
    }
    this.showLoading(s);
    this.seek(s);
    this.far.seek(s, this.cells(s));
    this.playback.goOn(s);
    // Numbers that change with every frame are unrest, and to lay them out costs more than to draw the cells.
    if (!this.reading) {
      this.showStatus(s);
      this.reading = setTimeout(() => {
        this.reading = 0;
        if (this.status && this.status !== s) this.showStatus(this.status);
      }, readingTime);
    }
  }

  /** Looks at another universe: where the address says, or as it was left, or at all of it. */
  private turnTo(universe: string): void {
    this.places.set(this.shown, this.camera.destination());
    this.shown = universe;
    this.region = null;
    this.selection.leave();
    this.far.forget();
    if (this.destination !== null) this.playback.jump(this.destination);
    this.destination = null;
    const left = this.places.get(universe);
    if (this.goToPlace()) return;
    if (left) this.camera.goTo(left, true);
    else this.fit(true);
  }

  /** Follows cells that the server counts from another corner: the rule brought an edge, or took it away. */
  private shift(dx: number, dy: number): void {
    if (dx === 0 && dy === 0) return;
    this.camera.shift(dx, dy);
    this.region = null;
    this.selection.shift(dx, dy);
  }

  /** Shows everything from now on, whenever some of it has left the view, until somebody moves the view. */
  private keepFitting(yes: boolean): void {
    this.keepsFitting = element<HTMLInputElement>("fitting").checked = yes;
    if (this.status && yes) this.keepInView(this.status);
  }

  private keepInView(s: Status): void {
    if (!this.keepsFitting || s.loading !== null || s.box[2] === 0) return;
    const room = this.covered();
    const nearer = this.camera.dwarfs(this.box(), ...room);
    if (this.camera.holds(this.box(), ...room) && !nearer) return;
    this.camera.fit(this.box(), ...room, false, !nearer);
    this.dirty = true;
  }

  /** Goes where the address says; false: it says nothing, or has been there. */
  private goToPlace(): boolean {
    const at = this.place;
    if (!at) return false;
    this.camera.goTo({ x: at[0], y: at[1], zoom: at[2] }, true);
    this.place = undefined;
    this.dirty = true;
    return true;
  }

  /** Says how much of a universe on its way is there, if that takes long. */
  private showLoading(s: Status): void {
    const now = performance.now();
    if (s.loading === null) {
      if (this.loading > 0 && this.noticeEnds === Infinity) this.hush();
      this.loading = 0;
      return;
    }
    this.loading ||= now;
    if (s.loaded !== "0" && now - this.loading < 400) return;
    this.notify(s.loading < 0 ? "Reading the universe…" : `Loading the universe: ${Math.round(100 * s.loading)}\u2009%`, false, Infinity);
  }

  /** Has the server show what the address asks for; false: another universe will not come. */
  private follow(want: Permalink): boolean {
    const s = this.status!;
    if (want.rle && !want.start) {
      unpack(want.rle, want.rule).then(
        (bytes) => {
          if (this.link.sendPattern(bytes)) this.destination = want.generation ?? null;
        },
        () => this.notify("The cells in the link cannot be read: a part of it may be missing.", true),
      );
      return true;
    }
    const order = orderOf(want);
    if (order) {
      const soup = s.soup && s.soup.seed === want.seed && s.soup.density === (want.density ?? 0.5) && s.soup.start === (want.start ?? "soup");
      const same = want.seed !== undefined ? soup : s.builtin === want.pattern;
      if (!same || s.edited || (want.rule && want.rule !== s.rule)) {
        this.link.send(order);
        return true;
      }
      const { generation = "0" } = want;
      if (s.generation !== generation) this.playback.jump(generation);
    } else if (want.rule && want.rule !== s.rule) this.link.send({ do: "rule", rule: want.rule });
    return false;
  }

  private showStatus(s: Status): void {
    this.playback.showMarks(s);
    const readout = element("readout");
    setReadout(readout, s, old(s));
    readout.dataset.generation = s.generation;
    readout.dataset.population = s.population;
    readout.dataset.counted = s.counted;
    readout.dataset.playing = String(s.playing);
    readout.dataset.edited = String(s.edited);
    const rule = s.ruleName || s.rule.split(":")[0]!;
    element("rule-name").textContent = rule;
    element("rule-name").title = `${s.rule}: choose another rule`;
    document.title = `${s.name || rule} · Gosper`;
    element("play-icon").setAttribute("href", s.playing ? "#i-pause" : "#i-play");
    element("play").ariaLabel = s.playing ? "Pause" : "Play";
    element("speed").textContent = describe(s);
    element<HTMLButtonElement>("undo").disabled = !s.undo;
    element<HTMLButtonElement>("redo").disabled = !s.redo;
    const r = this.region;
    const some = this.renderer.current?.sampled ? ", some rows" : "";
    const seen = r ? `${r.w} × ${r.h} ${r.scale === 0 ? "cells" : `blocks of ${2 ** r.scale}²${some}`}` : "–";
    this.panel.show(s, seen);
    this.playback.showWay(s);
    if (s.failure) this.notify(s.failure, true);
  }

  private connected(): void {
    this.region = null;
    this.stroke.forget();
    this.searching = 0;
    this.files.forget();
    this.seen = this.status;
    this.hush();
    void this.panel.load().then(() => this.status && this.showStatus(this.status)); // sources of rules come with the catalogue
    document.body.dataset.connected = "true";
    element("transport").inert = false;
    // The server speaks when it knows what is seen; a first look at nothing much gets the first status.
    this.link.send({ do: "view", x: 0, y: 0, scale: 0, w: 1, h: 1 });
  }

  private disconnected({ refused, words }: Loss): void {
    const news = document.body.dataset.connected !== "false"; // it is tried again and again
    document.body.dataset.connected = "false";
    element("transport").inert = true;
    if (refused === "gone") forgetKey(this.name); // the next one of that name has others
    if (refused === "token") this.askToken();
    else if (words) this.notify(words[0]!.toUpperCase() + words.slice(1) + ".", true, Infinity);
    else if (news) this.notify("The server is out of reach; trying again…", true, Infinity);
  }

  private askToken(): void {
    const token = prompt("This server wants a token:");
    if (token) {
      sessionStorage.setItem("token", token);
      this.link.retry(token);
    } else this.notify("This server wants a token: reload to give one.", true, Infinity);
  }

  private connectControls(): void {
    element("objects").onclick = () => this.toggleObjects();
    element("rarest").onclick = () => this.objects.rarest();
    element("undo").onclick = () => this.link.send({ do: "undo" });
    element("redo").onclick = () => this.link.send({ do: "redo" });
    element("reset").onclick = () => this.link.send({ do: "reset" });
    element("zoom-in").onclick = () => this.zoomBy(2);
    element("zoom-out").onclick = () => this.zoomBy(0.5);
    element("fit").onclick = () => this.fit();
    element("cancel").onclick = () => this.link.send({ do: "pause" });
  }

  private connectCanvas(): void {
    follow(this.stage, {
      camera: this.camera,
      drawing: () => this.editor.tool !== "move" || this.editor.floating !== null,
      begin: (x, y) => {
        if (this.selection.selects) {
          this.selection.begin(x, y);
          return true;
        }
        const f = this.renderer.current;
        if (!this.link.isOpen) {
          this.notify("The server is out of reach: nothing can be drawn until it is back.", true, Infinity);
          return false;
        }
        if (!f || f.scale !== 0) {
          this.notify("Zoom in until cells are squares, then draw.");
          return false;
        }
        this.stroke.state = stateAt(f, x, y) === this.selection.pen ? 0 : this.selection.pen;
        this.touch(x, y);
        return true;
      },
      line: (x0, y0, x1, y1) => {
        if (this.selection.selects) this.selection.drag(x1, y1);
        else cellsOfLine(x0, y0, x1, y1, (x, y) => this.touch(x, y));
      },
      end: () => {
        if (this.selection.selects) return this.selection.end();
        if (this.stroke.end(this.renderer.current)) return;
        this.redraw();
        this.notify("The server is out of reach: what was drawn is lost.", true, Infinity);
      },
      cancel: () => {
        if (this.selection.selects) {
          this.editor.end();
          return;
        }
        this.stroke.cancel(this.renderer.current);
        this.redraw();
      },
      hover: (x, y) => {
        this.selection.hover = [x, y];
        this.selection.showWhere();
      },
      click: (x, y) => {
        if (this.finds && this.status) this.objects.pick(x, y, this.status.generation);
      },
      twice: (x, y, more) => this.selection.twice(x, y, more),
      moved: () => {
        this.keepFitting(false);
        this.dirty = true;
      },
    });
    const resize = () => {
      const scale = Math.min(devicePixelRatio, sharpest);
      this.camera.width = Math.max(1, Math.round(this.stage.clientWidth * scale));
      this.camera.height = Math.max(1, Math.round(this.stage.clientHeight * scale));
      this.dirty = true;
    };
    resize();
    new ResizeObserver(resize).observe(this.stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.relook());
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.camera.still = calm.matches;
    calm.addEventListener("change", () => (this.camera.still = calm.matches));
  }

  private connectKeys(): void {
    const arrow = (dx: number, dy: number) => () => {
      if (!this.editor.floating) {
        this.keepFitting(false);
        return this.camera.glide(0.2 * dx, 0.2 * dy);
      }
      this.selection.nudge(dx, dy);
    };
    const stretch = (dx: number, dy: number) => () => {
      const { tool, floating } = this.editor;
      if (floating || (tool !== "select" && tool !== "measure")) return arrow(5 * dx, 5 * dy)();
      this.selection.stretch(dx, dy);
    };
    const scale = (zoom: number) => () => {
      this.keepFitting(false);
      this.camera.goTo({ ...this.camera.destination(), zoom });
    };
    listen({
      Enter: () => (this.editor.floating ? this.selection.putDown() : this.playback.togglePlay()),
      "Shift+Enter": () => this.playback.leap(),
      " ": () => this.playback.step(),
      "Shift+ ": () => this.playback.stepBack(),
      q: () => this.playback.mark(),
      "+": () => this.playback.changeSpeed(1),
      "=": () => this.playback.changeSpeed(1),
      "-": () => this.playback.changeSpeed(-1),
      _: () => this.playback.changeSpeed(-1),
      Home: () => this.link.send({ do: "reset" }),
      f: () => this.fit(),
      "Shift+f": () => this.keepFitting(!this.keepsFitting),
      m: () => this.middle(),
      "]": () => this.zoomBy(2),
      "[": () => this.zoomBy(0.5),
      "1": scale(1),
      "2": scale(2),
      "4": scale(4),
      "8": scale(8),
      "6": scale(16),
      "3": scale(32),
      "Shift+ArrowLeft": stretch(-1, 0),
      "Shift+ArrowRight": stretch(1, 0),
      "Shift+ArrowUp": stretch(0, -1),
      "Shift+ArrowDown": stretch(0, 1),
      ArrowLeft: arrow(-1, 0),
      ArrowRight: arrow(1, 0),
      ArrowUp: arrow(0, -1),
      ArrowDown: arrow(0, 1),
      c: () => this.selection.use("draw"),
      F2: () => this.selection.use("draw"),
      s: () => this.selection.use("select"),
      d: () => this.selection.use("measure"),
      w: () => this.selection.wholeHere(),
      F4: () => this.selection.use("select"),
      ",": () => this.selection.choosePen(this.selection.pen - 1),
      ".": () => this.selection.choosePen(this.selection.pen + 1),
      "Ctrl+a": () => this.selection.selectAll(),
      "Ctrl+c": () => this.selection.copy(false),
      "Ctrl+x": () => this.selection.copy(true),
      "<": () => this.selection.turn("left"),
      ">": () => this.selection.turn("right"),
      x: () => this.selection.turn("across"),
      y: () => this.selection.turn("over"),
      o: () => this.selection.nextMode(),
      p: () => this.selection.fill(this.selection.pen),
      n: () => this.selection.scatter(),
      k: () => this.selection.shrink(),
      Delete: () => this.selection.fill(0),
      Backspace: () => this.selection.fill(0),
      Escape: () => this.selection.escape(),
      z: () => this.link.send({ do: "undo" }),
      "Ctrl+z": () => this.link.send({ do: "undo" }),
      "Shift+z": () => this.link.send({ do: "redo" }),
      "Ctrl+Shift+z": () => this.link.send({ do: "redo" }),
      "Ctrl+y": () => this.link.send({ do: "redo" }),
      e: () => this.toggleObjects(),
      "Shift+e": () => this.objects.rarest(),
      g: () => this.far.next(),
      t: () => this.far.turn(1),
      "Shift+t": () => this.far.turn(-1),
      j: () => this.panel.focusGeneration(),
      v: () => this.panel.focusPattern(),
      "Ctrl+o": () => element("open").click(),
      "Ctrl+s": () => element("rle").click(),
      "Shift+v": () => this.panel.focusLibrary(),
      "Shift+l": () => this.panel.flipAxes(),
      r: () => this.panel.focusRule(),
      "5": () => this.panel.refill(true),
      l: () => this.panel.flip("grid"),
      b: () => this.panel.flip("invert"),
      a: () => this.panel.flip("ages"),
      i: () => this.panel.showStatistics(),
      h: () => this.panel.showKeys(),
      "?": () => this.panel.showKeys(),
    });
  }

  /** Begins or ends to find objects. */
  private toggleObjects(): void {
    this.finds = !this.finds;
    element("objects").ariaPressed = String(this.finds);
    element<HTMLButtonElement>("rarest").disabled = true;
    this.sought = null;
    this.objects.clear();
    if (this.finds) this.panel.reveal("objects");
    if (this.status) this.seek(this.status);
  }

  /** Asks for the objects: of a universe at rest once for the same cells, of one that plays from time to time, so that the table is of late. */
  private seek(s: Status): void {
    if (!this.finds) return;
    const cells = this.cells(s);
    const now = performance.now();
    if (cells === this.sought && !s.playing) return;
    this.objects.outdate();
    if (s.loading !== null || (!s.playing && s.counted !== s.generation)) return;
    // A search takes time from the universe, so the next one waits for several times as long.
    if (s.playing && (this.searching > 0 || now < this.nextSearch)) return;
    const part = this.editor.selection ?? { x: 0, y: 0, w: 0, h: 0 };
    if (!this.link.send({ do: "objects", ...part })) return;
    this.sought = cells;
    this.searching = now;
  }

  /** The search has ended. */
  private searched(refused: boolean): void {
    if (this.searching === 0) return; // the last of several
    const now = performance.now();
    this.nextSearch = now + (refused ? 10 * searchEvery : Math.max(searchEvery, 4 * (now - this.searching)));
    this.searching = 0;
  }

  /** What tells cells at rest from others. */
  private cells(s: Status): string {
    const r = this.editor.selection;
    return [s.universe, s.rule, s.generation, s.population, s.drawn, s.undo, s.redo, r && [r.x, r.y, r.w, r.h]].join();
  }

  /** Goes near enough to an object. */
  private lookAt(r: Rect): void {
    const { zoom } = this.camera.destination();
    this.camera.goTo({ x: r.x + r.w / 2, y: r.y + r.h / 2, zoom: Math.max(zoom, 8 * Math.min(devicePixelRatio, sharpest)) });
    this.dirty = true;
  }

  /** Shows a part of the universe, between the controls. */
  private closeUp(r: Rect, atOnce = false): void {
    this.camera.fit(r, ...this.covered(), atOnce);
    this.dirty = true;
  }

  /** The device pixels that controls cover: above, below, on the left, on the right. */
  private covered(): [number, number, number, number] {
    const scale = this.camera.width / Math.max(this.stage.clientWidth, 1);
    const beside = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--beside"));
    return [64 * scale, 72 * scale, 0, beside * scale];
  }

  private zoomBy(factor: number): void {
    this.keepFitting(false);
    this.camera.zoomBy(factor);
  }

  private touch(x: number, y: number): void {
    if (this.universe && (x < 0 || y < 0 || x >= this.universe.w || y >= this.universe.h)) return;
    const f = this.renderer.current;
    if (!f) return;
    this.stroke.add(x, y, f);
    this.stroke.lay(f, this.status?.playing ?? false);
    this.redraw();
  }

  /** Draws the frame on display again: its cells or colours have changed, or the graphics card has forgotten it. */
  private redraw(f = this.renderer.current): void {
    if (f) this.renderer.take(f, this.look, this.states);
    this.dirty = true;
  }

  get states(): number {
    return this.status?.states ?? 2;
  }

  box(): Rect {
    const [x, y, w, h] = this.status!.box;
    return { x, y, w, h };
  }

  /** Shows all cells. */
  private fit(atOnce = false): void {
    if (this.status) this.closeUp(this.box(), atOnce);
  }

  private middle(): void {
    if (!this.status) return;
    const r = this.box();
    this.camera.goTo({ ...this.camera.destination(), x: r.x + r.w / 2, y: r.y + r.h / 2 });
  }

  private readLook(): Look {
    return readLook(this.panel.checked("ages"), this.panel.checked("grid"), this.panel.checked("invert"), this.status?.colours ?? null);
  }

  /** Lists the states of a rule that has colours of its own. */
  private showStates(s: Status): void {
    const list = element("states");
    list.hidden = !s.colours;
    list.replaceChildren(
      ...(s.colours ?? []).map((colour, state) => {
        const item = document.createElement("li");
        const swatch = document.createElement("span");
        swatch.className = "swatch";
        swatch.style.background = colour;
        item.append(swatch, `${state} ${s.names?.[state] ?? ""}`);
        return item;
      }),
    );
  }

  private relook(): void {
    this.look = this.readLook();
    this.redraw();
    this.selection.show();
    this.panel.graph.paint();
  }

  notify(text: string, wrong = false, ms = noticeFor): void {
    const notice = element("notice");
    notice.textContent = text;
    notice.classList.toggle("wrong", wrong);
    notice.hidden = false;
    this.noticeEnds = performance.now() + ms;
  }

  private hush(): void {
    element("notice").hidden = true;
    this.noticeEnds = 0;
  }
}

/** The generation whose population is shown, where it was so long ago that the number says little of the present; else empty. */
function old(s: Status): string {
  const passed = Number(s.generation) - Number(s.counted);
  return passed > Math.max(1, s.rate, Number(s.generation) / 100) ? s.counted : "";
}

/** Writes the line of numbers without making its elements anew. */
function setReadout(into: HTMLElement, s: Status, counted: string): void {
  if (into.childElementCount === 0) {
    const make = (tag: string, text: string, kind: string) => Object.assign(document.createElement(tag), { textContent: text, className: kind });
    const words = (long: string, short: string) => [make("span", long + " ", "long"), make("span", short + " ", "short")];
    into.append(...words("generation", "gen"), make("b", "", ""), " · ", ...words("population", "pop"), make("b", "", ""), make("span", "", ""), make("span", "", "long"));
  }
  const [g, p] = into.querySelectorAll("b");
  g!.textContent = grouped(s.generation);
  p!.textContent = short(Number(s.population));
  p!.nextElementSibling!.textContent = counted && ` at ${grouped(counted)}`;
  into.lastElementChild!.textContent = s.playing && s.rate > 0 ? ` · ${short(s.rate)}\u2009gen/s` : "";
}

try {
  new Page();
} catch (e) {
  const notice = element("notice");
  notice.textContent = e instanceof Error ? e.message : String(e);
  notice.hidden = false;
}
