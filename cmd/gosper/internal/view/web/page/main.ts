// The page: a camera over a universe that lives on the server. Each part of it has a controller: the view, files, links, time, the selection and so on.

import { Address } from "./address";
import { Backup } from "./backup";
import type { Camera, Rect } from "./camera";
import type { Context } from "./context";
import { Drawing } from "./drawing";
import { Far } from "./far";
import { Files } from "./files";
import { Finding } from "./finding";
import type { Frame } from "./frame";
import { showsGrid } from "./grid";
import { Guide } from "./guide";
import { listen } from "./keyboard";
import { Link, type Listener, type Loss, type Sample, type Status } from "./link";
import { colourOf, hex, readLook, type Look } from "./look";
import { Notice } from "./notice";
import { grouped } from "./numbers";
import { element, Panel, randomSeed } from "./panel";
import type { Permalink } from "./permalink";
import { Playback } from "./playback";
import { follow } from "./pointer";
import { showReadout } from "./readout";
import { screenOn } from "./renderer";
import { Selection } from "./selection";
import { forgetKey, sessionName, takeKey, type About } from "./session";
import { Sharing } from "./sharing";
import { person, takeToken } from "./token";
import { View } from "./view";
import { Volume } from "./volume";

const seriesEvery = 500; // ms
const readingTime = 100; // ms between two numbers shown
const flatLabel = "The universe. Drag to move, scroll to zoom, arrow keys to glide.";

class Page implements Context {
  readonly name = sessionName(); // of the session; empty: the server's first universe
  private stage = element("universe");
  private view: View = new View(this, this.stage);
  readonly camera: Camera = this.view.camera;
  readonly renderer = screenOn(element<HTMLCanvasElement>("cells"), (f) => this.redraw(f));
  status: Status | null = null;
  universe: Rect | null = null;
  private arrived: Frame | null = null; // not on the screen yet
  private owed = true; // the frame of the newest status has not come yet
  look: Look;
  private dirty = true; // the picture and its overlay must be drawn again
  private last = 0;
  private overlay = element<HTMLCanvasElement>("overlay");
  private seen: Status | null = null; // the last one before the connection was lost
  private strangers = false; // the next frame has nothing to do with the last
  private loading = 0; // since when a universe has been on its way, 0: none is
  private files = new Files(this, (files, words) => this.panel.takeFolder(files, words));
  private backup = new Backup(
    this,
    (then) => this.files.save(then),
    (rle) => void this.files.open(new TextEncoder().encode(rle)),
    () => this.link.renew(),
  );
  private sharing = new Sharing(this, this.files);
  private selection = new Selection(this, this.files, this.stage, () => {
    this.finding.seek();
    this.dirty = true;
  });
  private editor = this.selection.editor;
  private drawing = new Drawing(this);
  private notice = new Notice();
  private reading = 0; // the timer that shows the next numbers
  private playback = new Playback(this, () => this.panel.graph);
  private guide = new Guide(this);
  private volume: Volume | null = null; // null: no universe of three dimensions has been shown
  private lookAt: Permalink | null = null; // where to look when the universe of the address is there
  private address = new Address(this, this.playback, (at, now) => {
    this.lookAt = at;
    if (now) this.goToPlace();
  });
  private finding = new Finding(
    this,
    () => this.editor.selection,
    (r) => this.view.lookAt(r),
    () => this.panel.reveal("objects"),
  );
  private far: Far;
  private panel: Panel;
  link!: Link;
  about: About | null = null; // null: there is nothing beside this universe

  constructor() {
    const secrets = { token: takeToken(), key: takeKey(this.name), person: person() };
    this.panel = new Panel({
      rule: (text) => this.chooseRule(text),
      soup: (density, size, seed, start) => this.fill(density, size, seed, start),
      empty: () => this.status && void this.files.open(new TextEncoder().encode(`x = 0, y = 0, rule = ${this.status.rule}\n!`)),
      builtin: (name) => this.link.send({ do: "builtin", name }),
      engine: (name) => this.link.send({ do: "engine", name }),
      pattern: (data) => void this.files.open(data),
      paste: (text) => (this.isSolid ? void this.files.open(new TextEncoder().encode(text)) : this.selection.hold(text)),
      jump: (text) => this.playback.jumpTo(text),
      scrub: (generation) => this.playback.scrub(generation),
      back: () => this.playback.stepBack(),
      mark: () => this.playback.mark(),
      look: () => this.relook(),
      fitting: (yes) => this.view.keepFitting(yes),
      numbers: () => {
        if (this.status) this.showStatus(this.status);
      },
      png: () => (this.isSolid ? this.files.keep(this.volume!.picture()) : this.files.png()),
      gif: () => this.files.gif(),
      rle: () => this.files.rle(),
      link: () => this.sharing.copyLink(),
      embed: () => this.sharing.copyLink(true),
      problem: (text) => this.notify(text, true),
    });
    this.far = new Far(element("channel"), element("next-active"), element("channel-legend"), element("channel-note"), {
      look: () => (this.view.region = null),
      goTo: (r) => this.view.closeUp(r),
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
      objects: (list) => this.finding.take(list),
      places: (p) => this.far.take(p),
      sized: (largest) => {
        this.far.sized(largest);
        if (this.status) this.far.seek(this.status, this.finding.cells(this.status));
      },
      film: (gif) => this.files.takeFilm(gif),
      problem: (text) => {
        this.files.filmed();
        this.far.refused();
        this.finding.refused();
        this.drawing.stroke.forget();
        this.volume?.refused();
        this.address.forget();
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
      this.address.read();
      if (this.status) this.learn(this.status);
    });
    setInterval(() => this.panel.isOpen && !document.hidden && this.link.send({ do: "series" }), seriesEvery);
    requestAnimationFrame((t) => this.tick(t));
  }

  /** One turn of the screen. */
  private tick(now: number): void {
    const f = this.arrived;
    this.arrived = null;
    if (this.isSolid) {
      if (f) this.playback.leaps(String(f.generation));
      this.volume!.turn(now, f);
    } else this.turnFlat(now, f);
    if (f) this.link.acknowledge();
    if (this.status && !this.seen && this.link.hasServer && this.link.isOpen) this.backup.seek(this.status, now);
    this.notice.advance(now);
    const settled = String(this.settled);
    if (this.stage.dataset.settled !== settled) this.stage.dataset.settled = settled;
    requestAnimationFrame((t) => this.tick(t));
  }

  /** One turn of the screen that shows two dimensions, with the frame that has come. */
  private turnFlat(now: number, f: Frame | null): void {
    if (this.camera.advance(Math.min(now - this.last, 100))) this.dirty = true;
    this.last = now;
    this.view.ask(this.far.channel);
    if (f) {
      if (this.playback.leaps(String(f.generation)) || this.strangers) this.renderer.forget();
      const s = this.status;
      this.strangers = false;
      this.drawing.lay(f);
      const sampled = this.renderer.current?.sampled;
      this.renderer.take(f, this.look, this.states);
      if (this.guide.turns(Number(f.generation))) this.relook();
      this.guide.follow(Number(f.generation));
      this.selection.showWhere();
      if (s && f.sampled !== sampled) this.showStatus(s);
    }
    if (f || this.dirty) this.renderer.paint(this.camera, this.look, this.universe);
    if (this.dirty) this.paintOver();
    this.dirty = false;
  }

  /** Whether the page shows a universe at rest as it is: nothing moves, all that was asked for has come, and the picture and the numbers are of that. */
  private get settled(): boolean {
    const { status: s } = this;
    if (!s || s.playing || s.loading !== null || s.counted !== s.generation || !this.link.isOpen) return false;
    if (this.isSolid) return this.volume!.settled(s) && !this.owed && !this.files.waits && !this.reading;
    const r = this.view.region;
    const f = this.renderer.current;
    if (!r || !f) return false;
    const pictured = f.x === r.x && f.y === r.y && f.scale === r.scale && f.w === r.w && f.h === r.h;
    const asked = this.files.waits || this.selection.waits || this.drawing.stroke.waits;
    return this.camera.arrived && pictured && !this.owed && !asked && !this.reading && this.finding.settled(s);
  }

  /** Draws what lies over the picture. A layer without anything would still be mixed into every frame. */
  private paintOver(): void {
    this.overlay.hidden = !showsGrid(this.camera, this.look) && !this.editor.shows && !this.finding.shows && !this.guide.shows;
    if (this.overlay.hidden) return;
    this.editor.paint(this.overlay, this.camera, this.look, this.universe, (state) => hex(colourOf(this.look, this.states, state)));
    this.finding.paint(this.overlay, this.camera);
    const c = this.overlay.getContext("2d")!;
    c.resetTransform();
    this.guide.paint(c, Number(this.renderer.current?.generation ?? 0));
  }

  private receive(f: Frame): void {
    this.arrived = f;
    this.owed = false;
    this.stage.dataset.levels = String(f.channel);
    this.stage.dataset.frames = String(Number(this.stage.dataset.frames ?? 0) + 1);
  }

  private learn(s: Status): void {
    const before = this.status;
    this.playback.lay(s);
    this.status = s;
    this.drawing.learn(s, before);
    if (this.camera.lattice !== s.lattice) {
      this.camera.lattice = s.lattice;
      this.view.region = null;
    }
    this.universe = s.bounded ? { x: 0, y: 0, w: s.width, h: s.height } : null;
    if (before && (s.universe !== before.universe || s.rule !== before.rule)) {
      this.strangers = true; // the frame of this status comes next
      this.arrived = null;
      this.link.acknowledge();
      this.notice.forgive(); // what was refused before is over
    }
    if (JSON.stringify(s.colours) !== JSON.stringify(before?.colours ?? null)) {
      this.relook();
      this.showStates(s);
    }
    if (s.rule !== before?.rule) this.selection.show();
    this.turnVolume(s);
    if (s.universe && this.view.turnTo(s.universe)) this.turned();
    else if (before) this.shift(before.corner[0] - s.corner[0], before.corner[1] - s.corner[1]);
    if (this.seen && s.universe) {
      if (s.universe !== this.seen.universe) {
        this.notify("The connection is back. This is another universe now.");
        this.backup.offer(this.seen.universe);
      } else if (Number(s.generation) < Number(this.seen.generation)) this.notify("The connection is back. This universe is at an earlier generation now.");
      this.seen = null;
    }
    this.address.visit(s);
    this.showLoading(s);
    if (!this.isSolid) {
      this.view.keepInView(s);
      this.selection.keepInside();
      this.finding.seek();
      this.far.seek(s, this.finding.cells(s));
    }
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

  /** Another universe is shown. */
  private turned(): void {
    this.selection.leave();
    this.far.forget();
    this.address.turned();
    if (this.status) this.guide.begin(this.status);
    if (this.status && this.status.outside !== "0") this.notify(`${grouped(this.status.outside)} live cells of the pattern lie outside this universe and are left out.`);
    this.relook();
    if (this.lookAt) this.guide.free = true;
    this.goToPlace();
  }

  /** Whether the universe has three dimensions and the page shows it. */
  private get isSolid(): boolean {
    return this.volume !== null && (this.status?.depth ?? 0) > 0;
  }

  /** Shows a volume, or what has two dimensions. */
  private turnVolume(s: Status): void {
    const { classList } = document.body;
    if (classList.contains("volume") !== s.depth > 0) {
      classList.toggle("volume", s.depth > 0);
      this.stage.ariaLabel = s.depth > 0 ? "The universe. Drag to go around it, scroll to come closer, arrow keys to turn." : flatLabel;
      this.view.region = null;
      this.volume?.forget();
      if (s.depth > 0) this.selection.layDown();
    }
    if (s.depth === 0) return;
    try {
      this.volume ??= new Volume(this, this.stage);
      this.volume.learn(s);
    } catch (e) {
      this.notify(e instanceof Error ? e.message : String(e), true, Infinity); // there is no WebGL2
    }
  }

  /** Looks where the address says, once. */
  private goToPlace(): void {
    const at = this.lookAt;
    this.lookAt = null;
    if (!at) return;
    if (this.isSolid) this.volume!.goTo(at);
    else this.view.goToPlace(at.at);
  }

  get place(): Permalink {
    if (this.isSolid) return this.volume!.place;
    const { x, y, zoom } = this.camera.destination();
    return { at: [x, y, zoom] };
  }

  /** Changes the rule. The cells stay, unless it is a rule of another number of dimensions, for which there are only soups. */
  private chooseRule(text: string): void {
    const named = this.panel.find(text);
    const notation = named?.notation ?? text;
    const solid = /^3D|^\d{4}$|\/[MNCEH]$/i.test(notation.split(/[:~]/)[0]!) || /:[TP]\d+,\d+,\d+$/i.test(notation);
    if (solid === this.isSolid) this.link.send({ do: "rule", rule: text });
    else {
      const size = notation.includes(":") ? "" : solid ? ":T64,64,64" : ":T1024,1024";
      this.link.send({ do: "soup", rule: notation + size, density: named?.density || (solid ? 0.2 : 0.5), seed: randomSeed() });
    }
  }

  /** Fills a universe with a soup. */
  private fill(density: number, size: number[] | null, seed: string, start: string): void {
    const { status: s } = this;
    if (s && size?.length === 3) {
      const [rule, suffix] = s.rule.split(":");
      this.link.send({ do: "soup", rule: `${rule}:${suffix?.startsWith("P") ? "P" : "T"}${size.join()}`, density, seed });
    } else this.link.send({ do: "soup", density, seed, width: size?.[0] ?? 0, height: size?.[1] ?? 0, start });
  }

  /** Follows cells that the server counts from another corner: the rule brought an edge, or took it away. */
  private shift(dx: number, dy: number): void {
    if (dx === 0 && dy === 0) return;
    this.view.shift(dx, dy);
    this.selection.shift(dx, dy);
  }

  /** Says how much of a universe on its way is there, if that takes long. */
  private showLoading(s: Status): void {
    const now = performance.now();
    if (s.loading === null) {
      if (this.loading > 0 && this.notice.stays) this.notice.hide();
      this.loading = 0;
      return;
    }
    this.loading ||= now;
    if (s.loaded !== "0" && now - this.loading < 400) return;
    this.notify(s.loading < 0 ? "Reading the universe…" : `Loading the universe: ${Math.round(100 * s.loading)}\u2009%`, false, Infinity);
  }

  private showStatus(s: Status): void {
    this.playback.showMarks(s);
    showReadout(s);
    const r = this.view.region;
    const some = this.renderer.current?.sampled ? ", some rows" : "";
    const seen = this.isSolid ? this.volume!.seen : r ? `${r.w} × ${r.h} ${r.scale === 0 ? "cells" : `blocks of ${2 ** r.scale}²${some}`}` : "–";
    this.panel.show(s, seen);
    this.playback.showWay(s);
    if (s.failure) this.notify(s.failure, true);
  }

  private connected(): void {
    this.view.region = null;
    this.volume?.forget();
    this.drawing.stroke.forget();
    this.finding.forget();
    this.files.forget();
    this.backup.forget();
    this.seen = this.status;
    this.notice.hide();
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
    if (refused === "gone") {
      forgetKey(this.name); // the next one of that name has others
      this.backup.offer("");
    }
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
    const zoom = (by: number) => (this.isSolid ? this.volume!.magnify(by > 1 ? 1.25 : 0.8) : this.view.zoomBy(by));
    element("zoom-in").onclick = () => zoom(2);
    element("zoom-out").onclick = () => zoom(0.5);
    element("fit").onclick = () => (this.isSolid ? this.volume!.fit() : this.view.fit());
    element("undo").onclick = () => this.link.send({ do: "undo" });
    element("redo").onclick = () => this.link.send({ do: "redo" });
    element("reset").onclick = () => this.link.send({ do: "reset" });
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
        return this.drawing.begin(x, y, this.selection.pen);
      },
      line: (x0, y0, x1, y1) => {
        if (this.selection.selects) this.selection.drag(x1, y1);
        else this.drawing.line(x0, y0, x1, y1);
      },
      end: () => {
        if (this.selection.selects) this.selection.end();
        else this.drawing.end();
      },
      cancel: () => {
        if (this.selection.selects) this.editor.end();
        else this.drawing.cancel();
      },
      hover: (x, y) => {
        this.selection.hover = [x, y];
        this.selection.showWhere();
      },
      click: (x, y) => this.finding.pick(x, y),
      twice: (x, y, more) => this.selection.twice(x, y, more),
      moved: () => {
        this.view.keepFitting(false);
        this.dirty = true;
      },
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.relook());
  }

  private connectKeys(): void {
    const arrow = (dx: number, dy: number) => () => {
      if (this.editor.floating) this.selection.nudge(dx, dy);
      else this.view.glide(0.2 * dx, 0.2 * dy);
    };
    const stretch = (dx: number, dy: number) => () => {
      const { tool, floating } = this.editor;
      if (floating || (tool !== "select" && tool !== "measure")) return arrow(5 * dx, 5 * dy)();
      this.selection.stretch(dx, dy);
    };
    const scale = (zoom: number) => () => this.view.zoomTo(zoom);
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
      f: () => this.view.fit(),
      "Shift+f": () => this.view.keepFitting(),
      "Shift+p": () => this.guide.visit(),
      m: () => this.view.middle(),
      "]": () => this.view.zoomBy(2),
      "[": () => this.view.zoomBy(0.5),
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
      e: () => this.finding.toggle(),
      "Shift+e": () => this.finding.rarest(),
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
      "5": () => this.panel.refill(),
      "Shift+r": () => this.panel.anyRule(),
      "Shift+j": () => this.view.askCell(),
      l: () => this.panel.flip("grid"),
      b: () => this.panel.flip("invert"),
      a: () => this.panel.flip("ages"),
      i: () => this.panel.showStatistics(),
      h: () => this.panel.showKeys(),
      "?": () => this.panel.showKeys(),
    }, () => (this.isSolid ? this.volume!.keys : {}));
  }

  redraw(f = this.renderer.current): void {
    if (f) this.renderer.take(f, this.look, this.states);
    this.repaint();
  }

  freed(): void {
    this.guide.free = true;
  }

  repaint(): void {
    this.dirty = true;
  }

  get room(): [number, number, number, number] {
    return this.view.covered();
  }

  get states(): number {
    return this.status?.states ?? 2;
  }

  box(): Rect {
    const [x, y, w, h] = this.status!.box;
    return { x, y, w, h };
  }

  private readLook(): Look {
    const { panel } = this;
    const [ages, grid, invert] = ["ages", "grid", "invert"].map((name) => panel.checked(name as "ages")) as [boolean, boolean, boolean];
    return this.guide.recolour((theme) => readLook(ages, grid, invert, this.status?.colours ?? null, undefined, theme || panel.theme.value));
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
    this.volume?.restyle();
    this.redraw();
    this.selection.show();
    this.panel.graph.paint();
  }

  notify(text: string, wrong?: boolean, ms?: number): void {
    this.notice.show(text, wrong, ms);
  }
}

try {
  new Page();
} catch (e) {
  const notice = element("notice");
  notice.textContent = e instanceof Error ? e.message : String(e);
  notice.hidden = false;
}
