// Editing cells by hand: tools, the state to draw, the selection, and the clip that floats over the universe.

import type { Rect } from "./camera";
import type { Context } from "./context";
import { Editor, measure, union, within, type Clip, type Tool } from "./editor";
import type { Files } from "./files";
import { stateAt } from "./frame";
import type { Status } from "./link";
import { colourOf, hex } from "./look";
import { grouped } from "./numbers";
import { element } from "./panel";

export class Selection {
  readonly editor = new Editor();
  pen = 1; // the state that is drawn
  hover: [number, number] | null = null; // the cell under the pointer
  private penned = ""; // what the row of states is made for
  private before: Rect | null = null; // what was selected before the pointer went down
  private wantsFloat = false; // the next clip is to float
  private wantsText = false; // the next clip's text is for the clipboard
  private wantsMore = false; // the next area is added to the selection

  /** changed is called whenever what lies over the picture has changed. */
  constructor(
    private page: Context,
    private files: Files,
    private stage: HTMLElement,
    private changed: () => void,
  ) {
    element("draw").onclick = () => this.use("draw");
    element("select").onclick = () => this.use("select");
    element("measure").onclick = () => this.use("measure");
    element("whole").onclick = () => this.selectWhole(this.editor.selection);
    element("cut").onclick = () => this.copy(true);
    element("copy").onclick = () => this.copy(false);
    element("float").onclick = () => this.float();
    element("fill").onclick = () => this.fill(this.pen);
    element("scatter").onclick = () => this.scatter();
    element("clear").onclick = () => this.fill(0);
    element("shrink").onclick = () => this.shrink();
    element("place").onclick = () => this.putDown();
    element("paste-mode").onclick = () => this.nextMode();
    element("drop-clip").onclick = () => this.escape();
    for (const how of ["left", "right", "across", "over"]) element("turn-" + how).onclick = () => this.turn(how);
  }

  /** Whether cells have been asked for that have not come yet. */
  get waits(): boolean {
    return this.wantsFloat || this.wantsText || this.wantsMore;
  }

  /** The answer will not come. */
  forget(): void {
    this.wantsFloat = this.wantsText = this.wantsMore = false;
  }

  /** Whether the pointer selects, or moves what floats. */
  get selects(): boolean {
    return this.editor.tool === "select" || this.editor.tool === "measure" || this.editor.floating !== null;
  }

  /** Takes cells that were asked for. */
  take(clip: Clip): void {
    const floats = this.wantsFloat;
    this.wantsFloat = false;
    this.editor.take(clip);
    if (floats) this.editor.float(this.page.camera);
    else if (this.wantsText) void this.copied(clip.text);
    this.wantsText = false;
    this.show();
  }

  /** Takes an area that was asked for; its width is 0 if no cell lives there. */
  takeArea(r: Rect): void {
    const more = this.wantsMore ? this.editor.selection : null;
    this.wantsMore = false;
    if (r.w === 0) this.page.notify("No cell is alive there.");
    this.editor.selection = r.w > 0 ? within(more ? union(more, r) : r, this.page.universe) : more;
    this.show();
  }

  /** Keeps the selection inside the universe. */
  keepInside(): void {
    if (this.editor.selection) this.editor.selection = within(this.editor.selection, this.page.universe);
  }

  /** Another universe is shown, to which the selection does not belong. */
  leave(): void {
    this.editor.selection = this.editor.ruler = null;
    this.show();
  }

  /** Follows cells that are counted from another corner. */
  shift(dx: number, dy: number): void {
    this.editor.shift(dx, dy);
    if (this.hover) this.hover = [this.hover[0] + dx, this.hover[1] + dy];
    this.show();
  }

  /** The pointer goes down on a cell to select. */
  begin(x: number, y: number): void {
    if ((this.editor.selection?.w ?? 0) * (this.editor.selection?.h ?? 0) !== 1) this.before = this.editor.selection;
    this.editor.begin(x, y);
    this.show();
  }

  drag(x: number, y: number): void {
    this.editor.drag(x, y, this.page.universe);
    this.show();
  }

  end(): void {
    if (this.editor.end()) this.putDown();
    if (this.editor.tool === "measure") return this.show();
    this.keepInside();
    this.show();
  }

  /** A cell is pointed at twice: its object is selected, and what was selected before if there is to be more. */
  twice(x: number, y: number, more: boolean): void {
    if (this.editor.tool === "select" && !this.editor.floating) this.selectWhole({ x, y, w: 1, h: 1 }, more ? this.before : null);
  }

  /** Selects the object under the pointer, or those that the selection touches. */
  wholeHere(): void {
    this.selectWhole(this.editor.selection ?? (this.hover && { x: this.hover[0], y: this.hover[1], w: 1, h: 1 }));
  }

  /** Lays the tool down: those who only watch have none. */
  layDown(): void {
    this.editor.tool = "move";
    this.show();
  }

  nudge(dx: number, dy: number): void {
    this.editor.nudge(dx, dy);
    this.show();
  }

  stretch(dx: number, dy: number): void {
    const { x, y } = this.page.camera.now;
    this.editor.stretch(dx, dy, [Math.floor(x), Math.floor(y)], this.page.universe);
    this.show();
  }

  /** Gives all selected cells a state. */
  fill(state: number): void {
    this.onSelection("fill", { state });
  }

  shrink(): void {
    this.onSelection("shrink", {});
  }

  /** Takes a tool, or lays it down if it is in use. */
  use(tool: Tool): void {
    if (tool === "draw" && this.page.about?.watch) return this.page.notify("You are watching: this link changes nothing.", true);
    this.editor.tool = this.editor.tool === tool ? "move" : tool;
    if (this.editor.tool !== "measure") this.editor.ruler = null;
    this.show();
  }

  /** Shows what is selected and what may be done with it. */
  show(): void {
    const { tool, selection, floating, mode, clip } = this.editor;
    for (const t of ["draw", "select", "measure"]) element(t).ariaPressed = String(tool === t);
    this.stage.classList.toggle("drawing", tool === "draw" && !floating);
    this.stage.classList.toggle("selecting", this.selects);
    element("edit").hidden = tool === "move" && !selection && !floating;
    element("pens").hidden = this.page.states === 2 || floating !== null || (tool !== "draw" && !selection);
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
    this.changed();
  }

  /** Offers the states to draw. */
  private showPens(): void {
    const s = this.page.status;
    if (!s) return;
    const colours = Array.from({ length: s.states }, (_, state) => hex(colourOf(this.page.look, s.states, state)));
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

  choosePen(state: number): void {
    this.pen = (state + this.page.states) % this.page.states;
    this.showPens();
    element("pens").querySelector("[aria-checked=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Says what is under the pointer, in the coordinates of pattern files. */
  showWhere(): void {
    const s = this.page.status;
    if (!s || element("edit").hidden) return;
    const { selection, floating, clip, ruler } = this.editor;
    const size = floating ? clip : selection;
    const words = ruler ? [measure(...ruler)] : size ? [`${grouped(size.w)} × ${grouped(size.h)}`] : [];
    const f = this.page.renderer.current;
    if (this.hover) {
      const [x, y] = this.hover;
      words.push(`${x + s.corner[0]}, ${y + s.corner[1]}`);
      if (f?.scale === 0) words.push(nameOfState(s, stateAt(f, x, y)));
    }
    element("where").textContent = words.join(" · ");
  }

  private onSelection(verb: string, more: Record<string, unknown>): void {
    const r = this.editor.selection;
    if (r) this.page.link.send({ do: verb, ...r, ...more });
    else this.page.notify("Select cells first.");
  }

  /** Selects the objects that have a live cell in an area, and what was selected before if that is given. */
  private selectWhole(r: Rect | null, before: Rect | null = null): void {
    if (!r) return this.page.notify("Select cells first, or point at one.");
    this.editor.tool = "select";
    this.editor.selection = before ?? r;
    this.wantsMore = before !== null;
    this.page.link.send({ do: "whole", ...r });
    this.show();
  }

  scatter(): void {
    const density = Number(element<HTMLInputElement>("density").value) / 100;
    this.onSelection("scatter", { density, seed: String(crypto.getRandomValues(new Uint32Array(1))[0]) });
  }

  copy(cut: boolean): void {
    this.wantsText = this.editor.selection !== null;
    this.onSelection(cut ? "cut" : "copy", {});
  }

  /** Puts what was copied on the system's clipboard, too. */
  private async copied(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.page.notify("Copied, as RLE for other programs, too.");
    } catch {
      this.page.notify("Copied for this page; the browser keeps its clipboard to itself.");
    }
  }

  /** Lets the text of a pattern float. */
  hold(text: string): void {
    if (!this.files.openText(text)) this.wantsFloat = this.page.link.send({ do: "hold", text });
  }

  private float(): void {
    this.editor.float(this.page.camera);
    this.show();
  }

  putDown(): void {
    const at = this.editor.floating;
    if (!at || !this.page.link.send({ do: "paste", ...at, mode: this.editor.mode })) return;
    this.editor.floating = null;
    this.show();
  }

  turn(how: string): void {
    if (this.editor.floating) this.page.link.send({ do: "turn", x: 0, y: 0, w: 0, h: 0, how });
    else this.onSelection("turn", { how });
  }

  nextMode(): void {
    this.editor.nextMode();
    this.show();
  }

  /** Gives up what floats, else the selection, else the tool. */
  escape(): void {
    const e = this.editor;
    if (e.floating) e.floating = null;
    else if (e.ruler) e.ruler = null;
    else if (e.selection) e.selection = null;
    else e.tool = "move";
    this.show();
  }

  selectAll(): void {
    if (!this.page.status) return;
    this.editor.tool = "select";
    this.editor.selection = this.page.universe ?? (this.page.status.box[2] > 0 ? this.page.box() : null);
    this.show();
  }
}

/** A state as people call it. */
function nameOfState(s: Status, state: number): string {
  return s.names?.[state] || (s.states === 2 ? ["dead", "alive"][state]! : `state ${state}`);
}
