// Files: patterns, rules and archives that people open, and the pictures, films and patterns that they keep.

import { ruleText, unzip } from "./archive";
import type { Camera } from "./camera";
import type { Context } from "./context";
import { drawGrid } from "./grid";
import { isPattern } from "./library";
import { hex } from "./look";
import { bytes } from "./numbers";
import { element, save } from "./panel";
import { through } from "./permalink";
import { filmOf } from "./viewport";

const mostFile = 16 * 2 ** 20; // bytes that the server takes (view/web/message.go)
const isRule = /^\s*@RULE/; // the text of a rule file
const longestPaste = 900_000; // characters that fit into a command

export class Files {
  private saves: ((rle: string) => void)[] = []; // what to do with the patterns asked for

  /** library takes the patterns of an archive that has several, and says so with the words. */
  constructor(
    private page: Context,
    private library: (files: File[], words: string) => void,
  ) {}

  /** Whether a pattern has been asked for that has not come yet. */
  get waits(): boolean {
    return this.saves.length > 0;
  }

  /** Nothing that was asked for will come. */
  forget(): void {
    this.saves = [];
    this.filmed();
  }

  /** Takes a pattern that was asked for. */
  take(rle: string): void {
    this.saves.shift()?.(rle);
  }

  /** Takes a film that was asked for. */
  takeFilm(gif: BlobPart): void {
    this.filmed();
    save(new Blob([gif], { type: "image/gif" }), this.fileName("gif"));
  }

  /** Saves all cells as a text: RLE, RLE3 in three dimensions, or a macrocell file if the cells are far apart. */
  rle(): void {
    this.save((text) => {
      const kind = text.startsWith("[M2]") ? "mc" : text.startsWith("3D ") ? "rle3" : "rle";
      save(new Blob([text], { type: "text/plain" }), this.fileName(kind));
    });
  }

  /** Opens a text if it is a rule, or too long for a command; false: it is neither. */
  openText(text: string): boolean {
    if (isRule.test(text)) this.learnRule(text, true);
    else if (text.length > longestPaste) void this.open(new TextEncoder().encode(text));
    else return false;
    return true;
  }

  /** A picture of what is seen. */
  png(): void {
    const { renderer, camera, look, universe } = this.page;
    renderer.paint(camera, look, universe);
    const picture = Object.assign(document.createElement("canvas"), { width: this.clear().width, height: camera.height });
    const c = picture.getContext("2d")!;
    renderer.copy(c);
    drawGrid(c, camera, look, universe);
    this.keep(picture);
  }

  /** The camera of what is seen beside the panel. */
  private clear(): Camera {
    const { camera, room } = this.page;
    const c = Object.create(camera) as Camera;
    c.width = Math.max(Math.round(camera.width - room[3]), 1);
    const [x, y] = camera.cellAt(c.width / 2, camera.height / 2);
    c.now = { ...camera.now, x, y };
    return c;
  }

  /** Saves a picture. */
  keep(picture: HTMLCanvasElement): void {
    picture.toBlob((blob) => blob && save(blob, this.fileName("png")), "image/png");
  }

  /** Asks for a film of what is seen, of the generations to come at the present speed. */
  gif(): void {
    const { status: s, look, universe, link } = this.page;
    if (!s) return;
    const [size, frames, filmSpeed] = ["film-size", "film-frames", "film-speed"].map((name) => {
      const input = element<HTMLInputElement>(name);
      if (!input.reportValidity()) return NaN;
      return input.valueAsNumber;
    }) as [number, number, number];
    if (isNaN(size + frames + filmSpeed)) return;
    const steps = Number(s.step);
    const perSecond = steps === 0 ? filmSpeed : Math.min(s.perSecond, filmSpeed);
    const every = steps === 0 ? Math.max(Math.round(s.rate / filmSpeed), 1) : Math.max(Math.round((steps * s.perSecond) / perSecond), 1);
    const { paper, ink, accent, old, died, dying } = look;
    const colours = [paper, ink, accent, ...(old && died && dying ? [old, died, dying] : [])].map(hex);
    const { ages } = look;
    if (!link.send({ do: "film", ...filmOf(this.clear(), universe, size), every: String(every), frames, delay: Math.round(1000 / perSecond), ages, colours })) return;
    element<HTMLButtonElement>("gif").disabled = true;
    element("keep-note").textContent = `A film of the next ${frames} frames is being made…`;
  }

  /** The film is there, or will not come. */
  filmed(): void {
    const button = element<HTMLButtonElement>("gif");
    if (button.disabled) element("keep-note").textContent = "";
    button.disabled = false;
  }

  private fileName(kind: string): string {
    const s = this.page.status;
    const name = (s?.name || s?.ruleName || "gosper").replace(/[^\w-]+/g, "-");
    return `${name}-${s?.generation ?? 0}.${kind}`;
  }

  /** Has the server send all cells as text. */
  save(then: (rle: string) => void): void {
    if (this.page.link.send({ do: "save" })) this.saves.push(then);
  }

  /** Sends a file to be opened. Long ones go gzipped. */
  async open(data: Uint8Array<ArrayBuffer>): Promise<void> {
    const begins = new TextDecoder().decode(data.subarray(0, 99));
    if (isRule.test(begins)) return this.learnRule(new TextDecoder().decode(data), true);
    if (begins.startsWith("PK\x03\x04")) return this.openArchive(data);
    const isGzip = data[0] === 0x1f && data[1] === 0x8b;
    const file = data.length > 1 << 20 && !isGzip ? await through(data, new CompressionStream("gzip")) : data;
    if (file.length > mostFile) {
      this.page.notify(`The file has ${bytes(file.length)}${file === data ? "" : " gzipped"}: at most ${bytes(mostFile)} can be opened from here. “gosper serve FILE” has no limit.`, true);
    } else if (!this.page.link.sendPattern(file) && !this.page.about?.watch) this.page.notify("The server is out of reach: the file is not opened.", true, Infinity);
  }

  /** Makes the rule of a file known, and chooses it. */
  private learnRule(text: string, choose: boolean): void {
    const name = /@RULE *(.*)/.exec(text)?.[1]!.trim();
    if (text.length > longestPaste) return this.page.notify(`The rule ${name} is too long to be opened from here.`, true);
    this.page.link.send({ do: "learn", text });
    if (choose) this.page.link.send({ do: "rule", rule: name });
  }

  /** Opens the pattern of a zip archive, under its rules. Of several, the library has them. */
  private async openArchive(data: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      const files = await unzip(data);
      const rules = files.map((f) => ruleText(f.name, f.data)).filter((text) => text !== "");
      const patterns = files.filter((f) => isPattern(f.name));
      for (const text of rules) this.learnRule(text, patterns.length === 0 && rules.length === 1);
      if (patterns.length === 1) return this.open(patterns[0]!.data);
      if (patterns.length > 1) this.library(patterns.map((f) => new File([f.data], f.name)), "the archive are in the library.");
      else if (rules.length === 0) this.page.notify("The archive has no pattern.", true);
    } catch {
      this.page.notify("The archive cannot be read.", true);
    }
  }
}
