// A text field that finds things by words and offers them: the combobox of the ARIA authoring practices.

const mostOffers = 60; // that fit some words

/** The choices of a field, and what happens to the chosen one. */
export interface Offers<T> {
  all(): readonly T[];
  /** What stands in the field when something is chosen, and in the list. */
  name(item: T): string;
  /** What stands below the name in the list. */
  note(item: T): string;
  /** All words that it can be found by. */
  words(item: T): string;
  /** Draws what stands beside the name in the list, once it is in view. */
  draw?(item: T, canvas: HTMLCanvasElement): void;
  take(item: T): void;
  /** Something was typed that is not in the list, or nothing of the list was chosen. */
  typed(text: string): void;
}

export class Combo<T> {
  private offers: readonly T[] = [];
  private active = -1;
  private asked: string | undefined; // the text whose offers are wanted, while somebody chooses
  private undrawn: IntersectionObserver | undefined; // the items whose pictures were not in view yet

  constructor(
    private input: HTMLInputElement,
    private list: HTMLUListElement,
    private of: Offers<T>,
  ) {
    input.addEventListener("input", () => this.offer(input.value));
    input.addEventListener("focus", () => input.select());
    input.addEventListener("click", () => {
      if (!this.list.hidden) return;
      input.select();
      this.offer("");
    });
    input.addEventListener("blur", () => this.close());
    input.addEventListener("keydown", (e) => this.key(e));
    // pointerdown, so that the field does not lose the focus and close the list first
    list.addEventListener("pointerdown", (e) => e.preventDefault());
    list.addEventListener("click", (e) => {
      const item = (e.target as Element).closest("li");
      if (item) this.choose(this.offers[Number(item.dataset.index)]!);
    });
  }

  /** Shows a text, unless another one is being typed. */
  set value(text: string) {
    if (document.activeElement !== this.input) this.input.value = text;
  }

  /** There is more to offer than before: who chooses already sees it too. */
  renew(): void {
    if (this.asked !== undefined) this.offer(this.asked);
  }

  /** Offers what fits the words of a text. */
  offer(text: string): void {
    this.asked = text;
    this.offers = found(this.of, text);
    this.active = -1;
    this.undrawn?.disconnect();
    this.list.replaceChildren(
      ...this.offers.map((offered, i) => {
        const item = document.createElement("li");
        item.id = `${this.list.id}-${i}`;
        item.role = "option";
        item.dataset.index = String(i);
        item.ariaSelected = "false";
        const note = document.createElement("span");
        note.className = "note";
        note.textContent = this.of.note(offered);
        item.append(this.of.name(offered), note);
        return item;
      }),
    );
    if (this.of.draw) this.drawInView();
    this.list.hidden = this.offers.length === 0;
    this.input.ariaExpanded = String(!this.list.hidden);
    this.list.scrollTop = 0;
    this.list.scrollIntoView({ block: "nearest" });
  }

  /** Gives each item a picture, and draws those that come into view. */
  private drawInView(): void {
    this.undrawn = new IntersectionObserver(
      (changes, undrawn) => {
        for (const { isIntersecting, target } of changes) {
          if (!isIntersecting) continue;
          undrawn.unobserve(target);
          this.of.draw!(this.offers[Number((target as HTMLElement).dataset.index)]!, target.querySelector("canvas")!);
        }
      },
      { root: this.list },
    );
    for (const item of this.list.children) {
      const canvas = document.createElement("canvas");
      canvas.ariaHidden = "true"; // the note says what it is
      item.prepend(canvas);
      this.undrawn.observe(item);
    }
  }

  private close(): void {
    this.asked = undefined;
    this.list.hidden = true;
    this.input.ariaExpanded = "false";
    this.input.removeAttribute("aria-activedescendant");
  }

  private key(e: KeyboardEvent): void {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      if (this.list.hidden) this.offer("");
      else this.move(e.key === "ArrowDown" ? 1 : -1);
    } else if (e.key === "Enter") {
      e.preventDefault();
      const offer = this.offers[this.active];
      if (offer && !this.list.hidden) this.choose(offer);
      else if (this.input.value.trim()) {
        this.close();
        this.of.typed(this.input.value.trim());
      }
    } else if (e.key === "Escape") {
      e.stopPropagation();
      if (this.list.hidden) this.input.blur();
      else this.close();
    }
  }

  private move(by: number): void {
    const items = this.list.children;
    if (items.length === 0) return;
    items[this.active]?.setAttribute("aria-selected", "false");
    this.active = (this.active + by + items.length) % items.length;
    const item = items[this.active]!;
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", item.id);
  }

  choose(item: T): void {
    this.input.value = this.of.name(item);
    this.input.select();
    this.close();
    this.of.take(item);
  }
}

/** What fits all words of a text, in the order of the list; names that begin with the text come first. */
export function found<T>(of: Pick<Offers<T>, "all" | "name" | "words">, text: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return of.all();
  const rank = (item: T) => (of.name(item).toLowerCase().startsWith(text.toLowerCase()) ? 0 : 1);
  return of
    .all()
    .filter((item) => words.every((w) => of.words(item).toLowerCase().includes(w)))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, mostOffers);
}
