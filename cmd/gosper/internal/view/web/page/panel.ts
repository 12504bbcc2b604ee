// The controls beside the picture: fields to status and back.

import { Graph } from "./graph";
import type { Status } from "./link";
import { Library, type NamedPattern } from "./library";
import { isDark } from "./look";
import { bytes, grouped, short } from "./numbers";
import { RuleBox, type NamedRule } from "./rulebox";
import { onBar, onSwipeDown } from "./sheet";

/** The requests of the controls. */
export interface Orders {
  rule(text: string): void;
  /** size has two or three sides; null: it stays as it is. */
  soup(density: number, size: number[] | null, seed: string, start: string): void;
  /** No cell lives from now on. */
  empty(): void;
  builtin(name: string): void;
  engine(name: string): void;
  pattern(data: Uint8Array<ArrayBuffer>): void;
  /** Text was pasted outside of fields. */
  paste(text: string): void;
  /** Goes to a generation as people write it. */
  jump(text: string): void;
  /** Goes to a generation of the timeline, as soon as the one asked for before is there. */
  scrub(generation: number): void;
  back(): void;
  mark(): void;
  look(): void;
  /** Everything is to be kept in view, or no longer. */
  fitting(yes: boolean): void;
  /** The table of numbers is open now, or closed. */
  numbers(): void;
  png(): void;
  gif(): void;
  rle(): void;
  link(): void;
  embed(): void;
  problem(text: string): void;
}

export function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

type LookBox = "ages" | "grid" | "invert";
const looks: LookBox[] = ["ages", "grid", "invert"];

export class Panel {
  readonly graph: Graph;
  private box: RuleBox;
  private library: Library;
  private panel = element("panel");
  readonly theme = element<HTMLSelectElement>("theme");
  private toggle = element("panel-toggle");
  private sizeShown = "";
  private solid = false; // the universe has three dimensions
  private loaded = false;

  constructor(private orders: Orders) {
    this.graph = new Graph(element<HTMLCanvasElement>("graph"), (generation) => orders.scrub(generation));
    element("back").onclick = () => orders.back();
    element("mark").onclick = () => orders.mark();
    this.box = new RuleBox(element("rule"), element("rule-list"), (rule, named) => {
      if (named && named.density > 0) this.setDensity(named.density);
      orders.rule(rule);
    });
    for (const example of document.querySelectorAll<HTMLButtonElement>("#notation button")) example.onclick = () => orders.rule(example.textContent!);
    this.library = new Library(element("library"), element("library-list"), element("library-kind"), (name) => orders.builtin(name), (data) => orders.pattern(data), (text) => orders.problem(text));
    element("logarithmic").onclick = () => this.flipAxes();
    this.toggle.onclick = () => this.open(this.panel.hidden);
    onSwipeDown(element("grip"), this.panel, () => this.open(false));
    element("panel-close").onclick = () => this.open(false);
    onBar(element("far"), element("far-bar"), element("afar"));
    element("rule-name").onclick = () => this.focusRule();
    const full = element("full");
    full.hidden = !document.fullscreenEnabled;
    full.onclick = () => void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
    element("help").onclick = () => this.showKeys();
    this.connectSoup();
    this.connectPattern();
    this.theme.value = localStorage.getItem("look:theme") ?? "";
    for (const id of looks) {
      const box = element<HTMLInputElement>(id);
      box.checked = JSON.parse(localStorage.getItem(`look:${id}`) ?? String(box.checked));
    }
    for (const id of ["theme", ...looks]) element(id).onchange = () => this.relook();
    this.dress();
    const fitting = element<HTMLInputElement>("fitting");
    fitting.onchange = () => orders.fitting(fitting.checked);
    element("numbers").ontoggle = () => orders.numbers();
    element("png").onclick = () => orders.png();
    element("gif").onclick = () => orders.gif();
    element("rle").onclick = () => orders.rle();
    element("link").onclick = () => orders.link();
    element("embed").onclick = () => orders.embed();
    element<HTMLFormElement>("jump").onsubmit = (e) => {
      e.preventDefault();
      const text = element<HTMLInputElement>("generation").value.trim();
      if (text) orders.jump(text);
    };
  }

  get isOpen(): boolean {
    return !this.panel.hidden;
  }

  open(yes: boolean): void {
    this.panel.hidden = !yes;
    this.toggle.ariaExpanded = String(yes);
    if (yes) this.graph.paint();
  }

  focusRule(): void {
    this.open(true);
    element("rule").focus();
  }

  focusPattern(): void {
    this.open(true);
    element("text").focus();
  }

  focusLibrary(): void {
    this.open(true);
    element("library").focus();
  }

  focusGeneration(): void {
    element<HTMLInputElement>("generation").select();
  }

  /** Shows a control and what belongs to it. */
  reveal(id: string): void {
    this.open(true);
    element(id).closest("section")!.scrollIntoView({ block: "nearest" });
  }

  /** Makes the graph's axes logarithmic, or linear again. */
  flipAxes(): void {
    const button = element("logarithmic");
    const yes = button.ariaPressed !== "true";
    button.ariaPressed = String(yes);
    this.graph.logarithmic = yes;
  }

  showStatistics(): void {
    this.open(true);
    const details = element<HTMLDetailsElement>("numbers");
    details.open = !details.open;
    details.scrollIntoView({ block: "nearest" });
  }

  showKeys(): void {
    element<HTMLDialogElement>("keys").showModal();
  }

  checked(id: LookBox): boolean {
    return element<HTMLInputElement>(id).checked;
  }

  flip(id: LookBox): void {
    const box = element<HTMLInputElement>(id);
    box.checked = !box.checked;
    this.relook();
  }

  /** Remembers how the picture is to look, and shows it. */
  private relook(): void {
    localStorage.setItem("look:theme", this.theme.value);
    for (const id of looks) localStorage.setItem(`look:${id}`, String(this.checked(id)));
    this.dress();
    this.orders.look();
  }

  /** Has the controls follow the theme of the picture. */
  private dress(): void {
    const { dataset } = document.documentElement;
    dataset.theme = this.theme.value;
    dataset.scheme = { true: "dark", false: "light" }[String(isDark(this.theme.value))] ?? "";
  }

  /** A rule by chance, whose cells need neighbours to be born. */
  anyRule(): void {
    const some = (digits: string) => [...digits].filter(() => Math.random() < 0.4).join("");
    this.orders.rule(`B${some("2345678") || 3}/S${some("012345678")}`);
  }

  /** Fills another soup with what stands in the fields, from another seed unless this one is to be kept. */
  refill(): void {
    const seed = element<HTMLInputElement>("seed");
    if (!element<HTMLInputElement>("pinned").checked || !/^\d+$/.test(seed.value.trim())) seed.value = randomSeed();
    const text = element<HTMLInputElement>("size").value.trim();
    const sides = text.split(/\s*[x×]\s*/).map(Number);
    const least = this.solid ? 3 : 2;
    if (sides.length === 1) sides.push(...Array<number>(least - 1).fill(sides[0]!));
    if (text && (sides.length < least || sides.length > 3 || !sides.every((side) => Number.isInteger(side) && side > 0))) {
      this.orders.problem(`size “${text}”: want ${this.solid ? "64 or 64x48x32" : "1024 or 640x480"}`);
      return;
    }
    const symmetry = !this.solid && element<HTMLSelectElement>("symmetry").value;
    this.orders.soup(Number(element<HTMLInputElement>("density").value) / 100, text ? sides : null, seed.value.trim(), symmetry ? `symmetric~as=${symmetry}` : "");
  }

  /** A rule of the catalogue, by its name or its notation. */
  find(rule: string): NamedRule | undefined {
    return this.box.find(rule);
  }

  show(s: Status, seen: string): void {
    if (this.solid !== s.depth > 0) this.turnTo(s);
    element("g-population").textContent = short(Number(s.population));
    this.box.value = s.ruleName || s.rule.split(":")[0]!;
    const source = this.box.find(s.ruleName)?.source;
    element("rule-note").textContent = s.ruleName ? s.rule.split(":")[0]! + (source ? ` · ${source}` : "") : "";
    const engine = element<HTMLSelectElement>("engine");
    const running = [...engine.options].some((o) => o.value === s.chosen) ? s.chosen : s.engine.split(" ")[0]!;
    if (document.activeElement !== engine) engine.value = running;
    const sides = sidesOf(s);
    const size = s.bounded ? (sides.every((side) => side === s.width) ? String(s.width) : sides.join("x")) : "";
    if (size && size !== this.sizeShown) element<HTMLInputElement>("size").value = this.sizeShown = size;
    if (element<HTMLDetailsElement>("numbers").open) this.showNumbers(s, seen);
  }

  /** Offers the choices for two dimensions, or for three. */
  private turnTo(s: Status): void {
    this.solid = s.depth > 0;
    element<HTMLInputElement>("size").placeholder = this.solid ? "64 or 64x48x32" : "1024 or 640x480";
    element("rle").textContent = this.solid ? "RLE3" : "RLE";
    if (s.soup) this.setDensity(s.soup.density);
  }

  private showNumbers(s: Status, seen: string): void {
    const cells = s.rate * s.width * s.height;
    const rows: [string, string][] = [
      ["Generation", grouped(s.generation)],
      ["Population", s.counted === s.generation ? grouped(s.population) : `${grouped(s.population)} at ${grouped(s.counted)}`],
      ["Universe", s.bounded ? sidesOf(s).map(grouped).join(" × ") : "unbounded"],
      ["Rule", s.rule],
      ["Generations/s", s.playing ? short(s.rate) : "–"],
      ["Cells/s", s.playing && s.bounded ? short(cells) : "–"],
      ["Frames/s", s.playing ? String(s.framesPerSecond) : "–"],
      ["In view", seen],
      ["Device", s.device],
      ["Schedule", s.plan.replaceAll(",", ",\u200b")],
      ["Memory", bytes(s.bytes)],
      ["Viewers", String(s.viewers)],
    ];
    if (s.bounded) rows.splice(2, 0, ["Density", `${((100 * Number(s.population)) / (s.width * s.height)).toFixed(2)}\u2009%`]);
    if (s.soup) rows.push(["Soup", `seed ${s.soup.seed}, density ${s.soup.density}${s.soup.start === "soup" ? "" : `, ${s.soup.start}`}`]);
    const list = element("statistics");
    const texts = rows.flat();
    if (list.childElementCount !== texts.length) {
      list.replaceChildren(...texts.map((_, i) => document.createElement(i % 2 ? "dd" : "dt")));
    }
    texts.forEach((t, i) => {
      const item = list.children[i]!;
      if (item.textContent !== t) item.textContent = t;
    });
  }

  private setDensity(share: number): void {
    const percent = Math.min(Math.max(Math.round(100 * share), 1), 99);
    element<HTMLInputElement>("density").value = String(percent);
    element("density-value").textContent = `${percent} %`;
  }

  private connectSoup(): void {
    const density = element<HTMLInputElement>("density");
    const seed = element<HTMLInputElement>("seed");
    density.oninput = () => this.setDensity(Number(density.value) / 100);
    seed.oninput = () => (element<HTMLInputElement>("pinned").checked = seed.value.trim() !== "");
    element<HTMLFormElement>("soup").onsubmit = (e) => {
      e.preventDefault();
      this.refill();
    };
    element("any-rule").onclick = () => this.anyRule();
    element("empty").onclick = () => this.orders.empty();
  }

  /** Takes the pattern files of a folder, or of an archive, into the library, and says so. */
  takeFolder(files: Iterable<File>, source: string): void {
    const n = this.library.takeFolder(files);
    element("library-note").textContent = `${grouped(n)} ${n === 1 ? "pattern" : "patterns"} of ${source}`;
    this.open(true);
    element("library").focus();
  }

  private connectPattern(): void {
    const engine = element<HTMLSelectElement>("engine");
    engine.onchange = () => this.orders.engine(engine.value);
    const text = element<HTMLTextAreaElement>("text");
    element<HTMLFormElement>("paste").onsubmit = (e) => {
      e.preventDefault();
      if (text.value.trim()) this.orders.pattern(new TextEncoder().encode(text.value));
    };
    const file = element<HTMLInputElement>("file");
    element("open").onclick = () => file.click();
    file.onchange = async () => {
      const chosen = file.files?.[0];
      file.value = "";
      if (chosen) this.orders.pattern(new Uint8Array(await chosen.arrayBuffer()));
    };
    const folder = element<HTMLInputElement>("folder");
    element("open-folder").onclick = () => folder.click();
    folder.onchange = () => {
      const name = folder.files?.[0]?.webkitRelativePath.split("/")[0] ?? "";
      this.takeFolder(folder.files ?? [], `${name} in the library, the files stay where they are.`);
      folder.value = "";
    };
    const drop = element("drop");
    addEventListener("dragover", (e) => {
      e.preventDefault();
      drop.hidden = false;
    });
    addEventListener("dragleave", (e) => {
      if (!e.relatedTarget) drop.hidden = true;
    });
    addEventListener("drop", async (e) => {
      e.preventDefault();
      drop.hidden = true;
      const dropped = e.dataTransfer?.files[0];
      if (dropped) this.orders.pattern(new Uint8Array(await dropped.arrayBuffer()));
      else if (e.dataTransfer?.getData("text")) this.orders.pattern(new TextEncoder().encode(e.dataTransfer.getData("text")));
    });
    addEventListener("paste", (e) => {
      if ((e.target as Element).closest("input, textarea")) return;
      const pasted = e.clipboardData?.getData("text");
      if (pasted?.trim()) this.orders.paste(pasted);
    });
  }

  /** Reads what the server offers, once. */
  async load(): Promise<void> {
    if (this.loaded) return;
    this.loaded = true;
    try {
      const answer = await fetch("catalogue.json");
      const c = (await answer.json()) as { rules: NamedRule[]; patterns: NamedPattern[]; engines: string[] };
      this.box.catalogue = c.rules;
      this.library.catalogue = c.patterns;
      element<HTMLSelectElement>("engine").replaceChildren(...c.engines.map((name) => new Option(name, name)));
    } catch {
      this.loaded = false; // the server went away; it is asked again when it is back
    }
  }
}

/** The columns, the rows and, in three dimensions, the layers of a universe. */
function sidesOf(s: Status): number[] {
  return s.depth > 0 ? [s.width, s.height / s.depth, s.depth] : [s.width, s.height];
}

/** Offers bytes as a file. */
export function save(blob: Blob, name: string): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

export function randomSeed(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}
