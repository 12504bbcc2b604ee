// The page: a camera over a universe that lives on the server.

import { Camera, type Place, type Rect } from "./camera";
import { Editor, measure, union, within, type Tool } from "./editor";
import { Far } from "./far";
import { stateAt, type Frame } from "./frame";
import { drawGrid, showsGrid } from "./grid";
import { listen } from "./keyboard";
import { Link, type Listener, type Loss, type Sample, type Status } from "./link";
import { colourOf, hex, readLook, youth, type Look } from "./look";
import { Marks } from "./marks";
import { bytes, generationOf, grouped, lasting, short } from "./numbers";
import { Objects } from "./objects";
import { element, Panel, save } from "./panel";
import { ruleText, unzip } from "./archive";
import { isPattern } from "./library";
import { longestCells, orderOf, pack, readPermalink, through, unpack, writePermalink, type Permalink } from "./permalink";
import { cellsOfLine, follow } from "./pointer";
import { screenOn } from "./screen";
import { addresses, addressOf, describe as describeSession, forgetKey, keepKey, sessionName, takeKey, type About } from "./session";
import { Asked, describe, nextRung, speedOf } from "./speed";
import { Stroke } from "./stroke";
import { person, takeToken } from "./token";
import { filmOf, regionFor, type Region } from "./viewport";

const seriesEvery = 500; // ms
const noticeFor = 5000;
const readingTime = 100; // ms between two numbers shown
const mostFile = 16 * 2 ** 20; // bytes that the server takes (view/web/message.go)
const isRule = /^\s*@RULE/; // the text of a rule file
const longestPaste = 900_000; // characters that fit into a command
const searchEvery = 2000; // ms
const filmFrames = 90;
const filmSpeed = 25; // most frames a second of a film
const sharpest = 2; // device pixels per CSS pixel that are worth drawing

class Page {
  private stage = element("universe");
  private camera = new Camera();
  private renderer = screenOn(element<HTMLCanvasElement>("cells"), (f) => this.redraw(f));
  private status: Status | null = null;
  private asked = new Asked();
  private universe: Rect | null = null;
  private arrived: Frame | null = null; // not on the screen yet
  private region: Region | null = null;
  private owed = true; // the frame of the newest status has not come yet
  private look: Look;
  private dirty = true; // the picture has to be drawn anew, and what lies over it
  private last = 0;
  private editor = new Editor();
  private overlay = element<HTMLCanvasElement>("overlay");
  private pen = 1; // the state that is drawn
  private penned = ""; // what the row of states is made for
  private hover: [number, number] | null = null; // the cell under the pointer
  private stroke: Stroke;
  private wanted: Permalink | null = readPermalink(location.hash);
  private place: Permalink["at"]; // where to look when the universe of the address is there
  private destination: string | null = null; // the generation to go to then
  private shown = ""; // which universe the camera looks at
  private places = new Map<string, Place>(); // of the camera, by universe
  private seen: Status | null = null; // the last one before the connection was lost
  private left: Status | null = null; // where the way to the target began
  private strangers = false; // the next frame has nothing to do with the last
  private leapt: string | null = null; // the generation from which the universe leaps so far that no age of a cell is known; null: it does not
  private loading = 0; // since when a universe has been on its way, 0: none is
  private saves: ((rle: string) => void)[] = []; // what to do with the patterns asked for
  private noticeEnds = 0;
  private reading = 0; // the timer that shows the next numbers
  private wantsFloat = false; // the next clip is to float
  private wantsText = false; // the next clip's text is for the clipboard
  private before: Rect | null = null; // what was selected before the pointer went down
  private wantsMore = false; // the next area is added to the selection
  private scrubbed: number | null = null; // the generation to go to next
  private marks: Marks;
  private objects: Objects;
  private keepsFitting = false; // everything is shown again when it leaves the view
  private finds = false; // objects are found whenever the universe is at rest
  private sought: string | null = null; // of which cells the objects were asked for last
  private searching = 0; // since when the server looks for objects; 0: it does not
  private nextSearch = 0; // when it may again, while the universe plays
  private far: Far;
  private panel: Panel;
  private link!: Link;
  private name = sessionName(); // of the session; empty: the server's first universe
  private about: About | null = null; // null: there is nothing beside this universe

  constructor() {
    const secrets = { token: takeToken(), key: takeKey(this.name), person: person() };
    this.marks = new Marks(this.name, localStorage);
    this.stroke = new Stroke((state, cells) => this.link.send({ do: "edit", state, cells }));
    this.panel = new Panel({
      rule: (text) => this.link.send({ do: "rule", rule: text }),
      soup: (density, size, seed) => this.link.send({ do: "soup", density, seed, width: size?.[0] ?? 0, height: size?.[1] ?? 0 }),
      builtin: (name) => this.link.send({ do: "builtin", name }),
      engine: (name) => this.link.send({ do: "engine", name }),
      pattern: (data) => void this.open(data),
      paste: (text) => this.hold(text),
      jump: (text) => this.jumpTo(text),
      scrub: (generation) => this.scrub(generation),
      back: () => this.stepBack(),
      mark: () => this.mark(),
      look: () => this.relook(),
      fitting: (yes) => this.keepFitting(yes),
      numbers: () => {
        if (this.status) this.showStatus(this.status);
      },
      png: () => this.png(),
      gif: () => this.gif(),
      rle: () => this.save((text) => save(new Blob([text], { type: "text/plain" }), this.fileName(text.startsWith("[M2]") ? "mc" : "rle"))),
      link: () => this.copyLink(),
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
      pattern: (rle) => this.saves.shift()?.(rle),
      clip: (clip) => {
        const floats = this.wantsFloat;
        this.wantsFloat = false;
        this.editor.take(clip);
        if (floats) this.editor.float(this.camera);
        else if (this.wantsText) void this.copied(clip.text);
        this.wantsText = false;
        this.showEditor();
      },
      area: (r) => {
        const more = this.wantsMore ? this.editor.selection : null;
        this.wantsMore = false;
        if (r.w === 0) this.notify("No cell is alive there.");
        this.editor.selection = r.w > 0 ? within(more ? union(more, r) : r, this.universe) : more;
        this.showEditor();
      },
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
      film: (gif) => {
        this.filmed();
        save(new Blob([gif], { type: "image/gif" }), this.fileName("gif"));
      },
      problem: (text) => {
        this.filmed();
        this.far.refused();
        this.searched(true);
        this.stroke.forget();
        this.destination = this.leapt = null;
        this.wantsFloat = this.wantsText = this.wantsMore = false; // the answer will not come
        this.notify(text, true);
      },
      session: (about) => this.showSession(about),
      connected: () => this.connected(),
      disconnected: (why) => this.disconnected(why),
    };
    this.link = new Link(alone ? "" : socket, secrets, listener, undefined, this.name ? "list.json" : "stats");
    this.connectControls();
    this.connectSession();
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
      if (this.strangers || this.leapt !== null) this.renderer.forget();
      const s = this.status;
      if (s && this.leapt !== s.generation && !s.playing && s.loading === null && String(f.generation) === s.generation) this.leapt = null;
      this.strangers = false;
      this.stroke.lay(f, this.status?.playing ?? false);
      const sampled = this.renderer.current?.sampled;
      this.renderer.take(f, this.look, this.states);
      this.showWhere();
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
    const asked = this.searching > 0 || this.saves.length > 0 || this.wantsFloat || this.wantsText || this.wantsMore || this.stroke.waits;
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
    const before = this.status;
    this.asked.lay(s, performance.now());
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
    if (s.rule !== before?.rule) this.showEditor();
    if (s.universe && s.universe !== this.shown) this.turnTo(s.universe);
    else if (before) this.shift(before.corner[0] - s.corner[0], before.corner[1] - s.corner[1]);
    if (this.seen && s.universe) {
      if (s.universe !== this.seen.universe) this.notify("The connection is back. This is another universe now.");
      else if (Number(s.generation) < Number(this.seen.generation)) this.notify("The connection is back. This universe is at an earlier generation now.");
      this.seen = null;
    }
    this.keepInView(s);
    if (this.editor.selection) this.editor.selection = within(this.editor.selection, this.universe);
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
    if (this.scrubbed !== null && !s.playing && s.loading === null) {
      const to = this.scrubbed;
      this.scrubbed = null;
      this.scrub(to);
    }
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
    this.editor.selection = this.editor.ruler = null; // they belong to the universe that was here
    this.showEditor();
    this.far.forget();
    if (this.destination !== null) this.jump(this.destination);
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
    this.editor.shift(dx, dy);
    if (this.hover) this.hover = [this.hover[0] + dx, this.hover[1] + dy];
    this.region = null;
    this.showEditor();
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
      if (s.generation !== generation) this.jump(generation);
    } else if (want.rule && want.rule !== s.rule) this.link.send({ do: "rule", rule: want.rule });
    return false;
  }

  private showStatus(s: Status): void {
    this.showMarks(s);
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
    this.showWay(s);
    if (s.failure) this.notify(s.failure, true);
  }

  /** Says how far it is to the generation that somebody goes to. */
  private showWay(s: Status): void {
    const { target } = s;
    element("going").hidden = !target;
    if (!target) return void (this.left = null);
    if (this.left?.target !== target || this.left.universe !== s.universe) this.left = s;
    const done = Number(s.generation) - Number(this.left.generation);
    const ahead = Number(target) - Number(s.generation);
    const pace = s.rate > 0 ? ` · ${short(s.rate)}\u2009gen/s · ${lasting(ahead / s.rate)} left` : "";
    element("way").textContent = `to ${grouped(target)} · ${Math.floor((100 * done) / (done + ahead))}\u2009%${pace}`;
  }

  private connected(): void {
    this.region = null;
    this.saves = [];
    this.stroke.forget();
    this.searching = 0;
    this.filmed();
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

  /** Says what session this is, and hides what who only looks may not do. */
  private showSession(about: About): void {
    this.about = about;
    keepKey(about);
    document.body.classList.toggle("watching", about.watch);
    element("watching").hidden = !about.watch;
    element("sessions").hidden = false;
    element("sessions-note").textContent = describeSession(about);
    element("session-links").hidden = element("session-list").hidden = !about.editKey;
    element<HTMLInputElement>("listed").checked = about.listed;
    element<HTMLInputElement>("rule").readOnly = about.watch;
    if (about.watch) {
      this.editor.tool = "move";
      this.showEditor();
    }
    if (about.fresh) this.notify("This universe is yours. The links to it are among the controls.");
  }

  private connectSession(): void {
    element("edit-link").onclick = () => void this.give(addressOf(this.about!.editKey), "The link for editing");
    element("watch-link").onclick = () => void this.give(addressOf(this.about!.watchKey), "The link for watching");
    const listed = element<HTMLInputElement>("listed");
    listed.onchange = () => this.link.send({ do: "list", on: listed.checked });
    const { make, list } = addresses();
    element<HTMLAnchorElement>("make-session").href = make;
    element<HTMLAnchorElement>("all-sessions").href = list;
  }

  /** Puts a link on the clipboard, or where it can be copied from. */
  private async give(address: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(address);
      this.notify(`${what} is copied.`);
    } catch {
      prompt(`${what}:`, address);
    }
  }

  private askToken(): void {
    const token = prompt("This server wants a token:");
    if (token) {
      sessionStorage.setItem("token", token);
      this.link.retry(token);
    } else this.notify("This server wants a token: reload to give one.", true, Infinity);
  }

  private connectControls(): void {
    element("play").onclick = () => this.togglePlay();
    element("step").onclick = () => this.step();
    element("slower").onclick = () => this.changeSpeed(-1);
    element("faster").onclick = () => this.changeSpeed(1);
    element("draw").onclick = () => this.use("draw");
    element("select").onclick = () => this.use("select");
    element("measure").onclick = () => this.use("measure");
    element("whole").onclick = () => this.selectWhole(this.editor.selection);
    element("cut").onclick = () => this.copy(true);
    element("copy").onclick = () => this.copy(false);
    element("float").onclick = () => this.float();
    element("fill").onclick = () => this.onSelection("fill", { state: this.pen });
    element("scatter").onclick = () => this.scatter();
    element("clear").onclick = () => this.onSelection("fill", { state: 0 });
    element("shrink").onclick = () => this.onSelection("shrink", {});
    element("place").onclick = () => this.putDown();
    element("paste-mode").onclick = () => this.nextMode();
    element("drop-clip").onclick = () => this.escape();
    for (const how of ["left", "right", "across", "over"]) element("turn-" + how).onclick = () => this.turn(how);
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
        if (this.selects) {
          if ((this.editor.selection?.w ?? 0) * (this.editor.selection?.h ?? 0) !== 1) this.before = this.editor.selection;
          this.editor.begin(x, y);
          this.showEditor();
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
        this.stroke.state = stateAt(f, x, y) === this.pen ? 0 : this.pen;
        this.touch(x, y);
        return true;
      },
      line: (x0, y0, x1, y1) => {
        if (this.selects) {
          this.editor.drag(x1, y1, this.universe);
          this.showEditor();
        } else cellsOfLine(x0, y0, x1, y1, (x, y) => this.touch(x, y));
      },
      end: () => {
        if (this.selects) {
          if (this.editor.end()) this.putDown();
          if (this.editor.tool === "measure") return this.showEditor();
          this.editor.selection = this.editor.selection && within(this.editor.selection, this.universe);
          this.showEditor();
          return;
        }
        if (this.stroke.end(this.renderer.current)) return;
        this.redraw();
        this.notify("The server is out of reach: what was drawn is lost.", true, Infinity);
      },
      cancel: () => {
        if (this.selects) {
          this.editor.end();
          return;
        }
        this.stroke.cancel(this.renderer.current);
        this.redraw();
      },
      hover: (x, y) => {
        this.hover = [x, y];
        this.showWhere();
      },
      click: (x, y) => {
        if (this.finds && this.status) this.objects.pick(x, y, this.status.generation);
      },
      twice: (x, y, more) => {
        if (this.editor.tool === "select" && !this.editor.floating) this.selectWhole({ x, y, w: 1, h: 1 }, more ? this.before : null);
      },
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
      this.editor.nudge(dx, dy);
      this.showEditor();
    };
    const stretch = (dx: number, dy: number) => () => {
      const { tool, floating } = this.editor;
      if (floating || (tool !== "select" && tool !== "measure")) return arrow(5 * dx, 5 * dy)();
      const { x, y } = this.camera.now;
      this.editor.stretch(dx, dy, [Math.floor(x), Math.floor(y)], this.universe);
      this.showEditor();
    };
    const scale = (zoom: number) => () => {
      this.keepFitting(false);
      this.camera.goTo({ ...this.camera.destination(), zoom });
    };
    listen({
      Enter: () => (this.editor.floating ? this.putDown() : this.togglePlay()),
      "Shift+Enter": () => this.leap(),
      " ": () => this.step(),
      "Shift+ ": () => this.stepBack(),
      q: () => this.mark(),
      "+": () => this.changeSpeed(1),
      "=": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
      _: () => this.changeSpeed(-1),
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
      c: () => this.use("draw"),
      F2: () => this.use("draw"),
      s: () => this.use("select"),
      d: () => this.use("measure"),
      w: () => this.selectWhole(this.editor.selection ?? (this.hover && { x: this.hover[0], y: this.hover[1], w: 1, h: 1 })),
      F4: () => this.use("select"),
      ",": () => this.choosePen(this.pen - 1),
      ".": () => this.choosePen(this.pen + 1),
      "Ctrl+a": () => this.selectAll(),
      "Ctrl+c": () => this.copy(false),
      "Ctrl+x": () => this.copy(true),
      "<": () => this.turn("left"),
      ">": () => this.turn("right"),
      x: () => this.turn("across"),
      y: () => this.turn("over"),
      o: () => this.nextMode(),
      p: () => this.onSelection("fill", { state: this.pen }),
      n: () => this.scatter(),
      k: () => this.onSelection("shrink", {}),
      Delete: () => this.onSelection("fill", { state: 0 }),
      Backspace: () => this.onSelection("fill", { state: 0 }),
      Escape: () => this.escape(),
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

  private togglePlay(): void {
    this.leapt = null;
    this.link.send({ do: this.status?.playing ? "pause" : "play" });
  }

  private step(): void {
    const s = this.status;
    this.link.send(s?.playing && !s.stepping ? { do: "pause" } : { do: "step", n: "1" });
  }

  /** One step of the present speed, as Golly's Tab. */
  private leap(): void {
    const s = this.status;
    if (s) this.link.send(s.playing && !s.stepping ? { do: "pause" } : { do: "step", n: s.step === "0" ? "1" : s.step });
  }

  /** Goes to a generation as people write it. */
  private jumpTo(text: string): void {
    const generation = generationOf(text, this.status?.generation ?? "0");
    if (generation === null) this.notify(`“${text}” is no generation: 1000, 1e6 and +50 are.`, true);
    else this.jump(generation);
  }

  /** Goes to a generation of the timeline. While the page waits for one, only the last that was asked for is remembered. */
  private scrub(generation: number): void {
    const s = this.status;
    if (!s || String(generation) === s.generation) return;
    if (s.playing && s.loading === null && !s.stepping) this.link.send({ do: "pause" });
    if (s.playing || s.loading !== null) {
      this.scrubbed = generation;
      return;
    }
    if (this.jump(String(generation))) s.loading = -1; // until the server says more
  }

  /** Has the server go to a generation. */
  private jump(generation: string): boolean {
    const from = this.status?.generation ?? "0";
    this.leapt = Math.abs(Number(generation) - Number(from)) > youth ? from : null;
    return this.link.send({ do: "jump", generation });
  }

  private stepBack(): void {
    const g = BigInt(this.status?.generation ?? "0");
    if (this.status?.playing) this.link.send({ do: "pause" });
    else if (g > 0n) this.link.send({ do: "jump", generation: String(g - 1n) });
  }

  /** Marks this generation and this view, or takes the mark away. */
  private mark(): void {
    const s = this.status;
    if (!s) return;
    this.marks.flip(s, this.camera.destination());
    this.showMarks(s);
  }

  private showMarks(s: Status): void {
    const all = this.marks.of(s);
    this.panel.graph.at(
      Number(s.generation),
      all.map((m) => Number(m.generation)),
    );
    element<HTMLButtonElement>("back").disabled = s.generation === "0";
    element("mark").ariaPressed = String(all.some((m) => m.generation === s.generation));
    const list = element("marks");
    const wanted = all.map((m) => m.generation).join();
    if (list.dataset.shown === wanted) return;
    list.dataset.shown = wanted;
    list.replaceChildren(
      ...all.map((m) => {
        const chip = document.createElement("button");
        chip.type = "button";
        chip.textContent = grouped(m.generation);
        chip.ariaLabel = chip.title = `Go to generation ${grouped(m.generation)}, as it was looked at`;
        chip.onclick = () => {
          this.jump(m.generation);
          this.camera.goTo(m.at);
        };
        return chip;
      }),
    );
  }

  private changeSpeed(by: number): void {
    if (!this.status) return;
    const next = speedOf(nextRung(this.status, by));
    if (!this.link.send({ do: "speed", ...next })) return;
    this.asked.ask(next, performance.now());
    Object.assign(this.status, next);
    element("speed").textContent = describe(this.status);
  }

  /** Whether the pointer selects, or moves what floats. */
  private get selects(): boolean {
    return this.editor.tool === "select" || this.editor.tool === "measure" || this.editor.floating !== null;
  }

  /** Takes a tool, or lays it down if it is in use. */
  private use(tool: Tool): void {
    if (tool === "draw" && this.about?.watch) return this.notify("You are watching: this link changes nothing.", true);
    this.editor.tool = this.editor.tool === tool ? "move" : tool;
    if (this.editor.tool !== "measure") this.editor.ruler = null;
    this.showEditor();
  }

  private showEditor(): void {
    if (this.finds && this.status) this.seek(this.status);
    const { tool, selection, floating, mode, clip } = this.editor;
    for (const t of ["draw", "select", "measure"]) element(t).ariaPressed = String(tool === t);
    this.stage.classList.toggle("drawing", tool === "draw" && !floating);
    this.stage.classList.toggle("selecting", this.selects);
    element("edit").hidden = tool === "move" && !selection && !floating;
    element("pens").hidden = this.states === 2 || floating !== null || (tool !== "draw" && !selection);
    element("on-selection").hidden = floating !== null || tool === "draw" || tool === "measure";
    for (const id of ["cut", "copy", "fill", "scatter", "clear", "shrink", "whole"]) element<HTMLButtonElement>(id).disabled = !selection;
    element<HTMLButtonElement>("float").disabled = !clip;
    element("on-floating").hidden = !floating;
    element("turns").hidden = !floating && (!selection || tool === "draw" || tool === "measure");
    element("paste-mode").textContent = mode;
    const box = floating && clip ? { ...floating, w: clip.w, h: clip.h } : selection;
    element("edit").dataset.area = box ? [box.x, box.y, box.w, box.h].join() : "";
    element("edit").dataset.ruler = this.editor.ruler ? measure(...this.editor.ruler) : "";
    this.showPens();
    this.showWhere();
    this.dirty = true;
  }

  /** Offers the states to draw. */
  private showPens(): void {
    const s = this.status;
    if (!s) return;
    const colours = Array.from({ length: s.states }, (_, state) => hex(colourOf(this.look, s.states, state)));
    if (this.pen >= s.states) this.pen = 1;
    const wanted = JSON.stringify([s.rule, colours, this.pen]);
    if (wanted === this.penned) return;
    this.penned = wanted;
    element("pens").replaceChildren(
      ...colours.map((colour, state) => {
        const pen = document.createElement("button");
        pen.type = "button";
        pen.role = "radio";
        pen.ariaChecked = String(state === this.pen);
        pen.ariaLabel = pen.title = nameOfState(s, state);
        pen.style.setProperty("--pen", colour);
        pen.onclick = () => this.choosePen(state);
        return pen;
      }),
    );
  }

  private choosePen(state: number): void {
    this.pen = (state + this.states) % this.states;
    this.showPens();
    element("pens").querySelector("[aria-checked=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Says what is under the pointer, in the coordinates of pattern files. */
  private showWhere(): void {
    const s = this.status;
    if (!s || element("edit").hidden) return;
    const { selection, floating, clip, ruler } = this.editor;
    const size = floating ? clip : selection;
    const words = ruler ? [measure(...ruler)] : size ? [`${grouped(size.w)} × ${grouped(size.h)}`] : [];
    const f = this.renderer.current;
    if (this.hover) {
      const [x, y] = this.hover;
      words.push(`${x + s.corner[0]}, ${y + s.corner[1]}`);
      if (f?.scale === 0) words.push(nameOfState(s, stateAt(f, x, y)));
    }
    element("where").textContent = words.join(" · ");
  }

  private onSelection(verb: string, more: Record<string, unknown>): void {
    const r = this.editor.selection;
    if (r) this.link.send({ do: verb, ...r, ...more });
    else this.notify("Select cells first.");
  }

  /** Selects the objects that have a live cell in an area, and what was selected before if that is given. */
  private selectWhole(r: Rect | null, before: Rect | null = null): void {
    if (!r) return this.notify("Select cells first, or point at one.");
    this.editor.tool = "select";
    this.editor.selection = before ?? r;
    this.wantsMore = before !== null;
    this.link.send({ do: "whole", ...r });
    this.showEditor();
  }

  private scatter(): void {
    const density = Number(element<HTMLInputElement>("density").value) / 100;
    this.onSelection("scatter", { density, seed: String(crypto.getRandomValues(new Uint32Array(1))[0]) });
  }

  private copy(cut: boolean): void {
    this.wantsText = this.editor.selection !== null;
    this.onSelection(cut ? "cut" : "copy", {});
  }

  /** Puts what was copied on the system's clipboard, too. */
  private async copied(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.notify("Copied, as RLE for other programs, too.");
    } catch {
      this.notify("Copied for this page; the browser keeps its clipboard to itself.");
    }
  }

  /** Lets the text of a pattern float. */
  private hold(text: string): void {
    if (isRule.test(text)) this.learnRule(text, true);
    else if (text.length > longestPaste) void this.open(new TextEncoder().encode(text));
    else this.wantsFloat = this.link.send({ do: "hold", text });
  }

  private float(): void {
    this.editor.float(this.camera);
    this.showEditor();
  }

  private putDown(): void {
    const at = this.editor.floating;
    if (!at || !this.link.send({ do: "paste", ...at, mode: this.editor.mode })) return;
    this.editor.floating = null;
    this.showEditor();
  }

  private turn(how: string): void {
    if (this.editor.floating) this.link.send({ do: "turn", x: 0, y: 0, w: 0, h: 0, how });
    else this.onSelection("turn", { how });
  }

  private nextMode(): void {
    this.editor.nextMode();
    this.showEditor();
  }

  /** Gives up what floats, else the selection, else the tool. */
  private escape(): void {
    const e = this.editor;
    if (e.floating) e.floating = null;
    else if (e.ruler) e.ruler = null;
    else if (e.selection) e.selection = null;
    else e.tool = "move";
    this.showEditor();
  }

  private selectAll(): void {
    if (!this.status) return;
    this.editor.tool = "select";
    this.editor.selection = this.universe ?? (this.status.box[2] > 0 ? this.box() : null);
    this.showEditor();
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

  private get states(): number {
    return this.status?.states ?? 2;
  }

  private box(): Rect {
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
    this.showEditor();
    this.panel.graph.paint();
  }

  /** A picture of what is seen. */
  private png(): void {
    this.renderer.paint(this.camera, this.look, this.universe);
    const picture = Object.assign(document.createElement("canvas"), { width: this.camera.width, height: this.camera.height });
    const c = picture.getContext("2d")!;
    this.renderer.copy(c);
    drawGrid(c, this.camera, this.look, this.universe);
    picture.toBlob((blob) => blob && save(blob, this.fileName("png")), "image/png");
  }

  /** Asks for a film of what is seen, of the generations to come at the present speed. */
  private gif(): void {
    const s = this.status;
    if (!s) return;
    const steps = Number(s.step);
    const perSecond = steps === 0 ? filmSpeed : Math.min(s.perSecond, filmSpeed);
    const every = steps === 0 ? Math.max(Math.round(s.rate / filmSpeed), 1) : Math.max(Math.round((steps * s.perSecond) / perSecond), 1);
    const colours = [this.look.paper, this.look.ink, this.look.accent].map(hex);
    const frames = filmFrames;
    const { ages } = this.look;
    if (!this.link.send({ do: "film", ...filmOf(this.camera, this.universe), every: String(every), frames, delay: Math.round(1000 / perSecond), ages, colours })) return;
    element<HTMLButtonElement>("gif").disabled = true;
    element("keep-note").textContent = `A film of the next ${frames} frames is being made…`;
  }

  /** The film is there, or will not come. */
  private filmed(): void {
    const button = element<HTMLButtonElement>("gif");
    if (button.disabled) element("keep-note").textContent = "";
    button.disabled = false;
  }

  private fileName(kind: string): string {
    const s = this.status;
    const name = (s?.name || s?.ruleName || "gosper").replace(/[^\w-]+/g, "-");
    return `${name}-${s?.generation ?? 0}.${kind}`;
  }

  /** Has the server send all cells as text. */
  private save(then: (rle: string) => void): void {
    if (this.link.send({ do: "save" })) this.saves.push(then);
  }

  /** Sends a file to be opened. Long ones go gzipped. */
  private async open(data: Uint8Array<ArrayBuffer>): Promise<void> {
    const begins = new TextDecoder().decode(data.subarray(0, 99));
    if (isRule.test(begins)) return this.learnRule(new TextDecoder().decode(data), true);
    if (begins.startsWith("PK\x03\x04")) return this.openArchive(data);
    const isGzip = data[0] === 0x1f && data[1] === 0x8b;
    const file = data.length > 1 << 20 && !isGzip ? await through(data, new CompressionStream("gzip")) : data;
    if (file.length > mostFile) {
      this.notify(`The file has ${bytes(file.length)}${file === data ? "" : " gzipped"}: at most ${bytes(mostFile)} can be opened from here. “gosper serve FILE” has no limit.`, true);
    } else if (!this.link.sendPattern(file) && !this.about?.watch) this.notify("The server is out of reach: the file is not opened.", true, Infinity);
  }

  /** Makes the rule of a file known, and chooses it. */
  private learnRule(text: string, choose: boolean): void {
    const name = /@RULE *(.*)/.exec(text)?.[1]!.trim();
    if (text.length > longestPaste) return this.notify(`The rule ${name} is too long to be opened from here.`, true);
    this.link.send({ do: "learn", text });
    if (choose) this.link.send({ do: "rule", rule: name });
  }

  /** Opens the pattern of a zip archive, under its rules. Of several, the library has them. */
  private async openArchive(data: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      const files = await unzip(data);
      const rules = files.map((f) => ruleText(f.name, f.data)).filter((text) => text !== "");
      const patterns = files.filter((f) => isPattern(f.name));
      for (const text of rules) this.learnRule(text, patterns.length === 0 && rules.length === 1);
      if (patterns.length === 1) return this.open(patterns[0]!.data);
      if (patterns.length > 1) this.panel.takeFolder(patterns.map((f) => new File([f.data], f.name)), "the archive are in the library.");
      else if (rules.length === 0) this.notify("The archive has no pattern.", true);
    } catch {
      this.notify("The archive cannot be read.", true);
    }
  }

  /** The place looked at, as an address has it. */
  private here(): [number, number, number] {
    const { x, y, zoom } = this.camera.destination();
    return [x, y, zoom];
  }

  private permalink(): Permalink {
    const s = this.status!;
    const link: Permalink = { rule: s.rule, generation: s.generation, at: this.here() };
    if (s.soup) {
      link.seed = s.soup.seed;
      link.density = s.soup.density;
      if (s.soup.start !== "soup") link.start = s.soup.start;
      if (s.soup.cells) link.rle = s.soup.cells;
      if (!s.bounded) link.size = [s.soup.width, s.soup.height];
    } else if (s.builtin) link.pattern = s.builtin;
    return link;
  }

  private copyLink(): void {
    const s = this.status;
    if (!s) return;
    if (!s.edited && (s.soup || s.builtin)) void this.publish(this.permalink());
    else
      this.save(async (rle) => {
        const packed = await pack(rle);
        if (packed.length <= longestCells) void this.publish({ rle: packed, at: this.here() });
        else this.notify(`The cells take ${grouped(packed.length)} characters, and a link has room for ${grouped(longestCells)}: save them as RLE.`, true);
      });
  }

  /** Puts a link on the clipboard and into the address bar. */
  private async publish(link: Permalink): Promise<void> {
    if (this.name) return this.give(addresses().make + writePermalink(link), "The link to a universe like this");
    history.replaceState(null, "", writePermalink(link));
    try {
      await navigator.clipboard.writeText(location.href);
      this.notify("The link is copied.");
    } catch {
      this.notify("The link stands in the address bar.");
    }
  }

  private notify(text: string, wrong = false, ms = noticeFor): void {
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

/** A state as people call it. */
function nameOfState(s: Status, state: number): string {
  return s.names?.[state] || (s.states === 2 ? ["dead", "alive"][state]! : `state ${state}`);
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
