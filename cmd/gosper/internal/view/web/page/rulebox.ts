// A text field that takes any rule and offers the named ones: the combobox of the ARIA authoring practices.

export interface NamedRule {
  name: string;
  aliases: string[];
  notation: string;
  kind: string;
  source: string;
  density: number; // of the soups that its source starts from; 0: not given
}

const mostOffers = 60;

export class RuleBox {
  private rules: NamedRule[] = [];
  private offers: NamedRule[] = [];
  private active = -1;

  constructor(
    private input: HTMLInputElement,
    private list: HTMLUListElement,
    private chosen: (rule: string, named?: NamedRule) => void,
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
      if (item) this.take(this.offers[Number(item.dataset.index)]!);
    });
  }

  set catalogue(rules: NamedRule[]) {
    this.rules = rules;
  }

  /** A rule of the catalogue. */
  find(name: string): NamedRule | undefined {
    return this.rules.find((r) => r.name === name);
  }

  /** Shows a rule, unless another one is being typed. */
  set value(rule: string) {
    if (document.activeElement !== this.input) this.input.value = rule;
  }

  private offer(text: string): void {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (r: NamedRule) => {
      const all = [r.name, ...r.aliases, r.notation, r.kind].join(" ").toLowerCase();
      return words.every((w) => all.includes(w));
    };
    const rank = (r: NamedRule) => (r.name.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 1);
    this.offers = this.rules.filter(fits);
    if (words.length > 0) this.offers.sort((a, b) => rank(a) - rank(b));
    this.offers = this.offers.slice(0, words.length > 0 ? mostOffers : this.offers.length);
    this.active = -1;
    this.list.replaceChildren(
      ...this.offers.map((r, i) => {
        const item = document.createElement("li");
        item.id = `rule-${i}`;
        item.role = "option";
        item.dataset.index = String(i);
        item.ariaSelected = "false";
        const notation = document.createElement("span");
        notation.className = "notation";
        notation.textContent = r.notation;
        item.append(r.name, notation);
        return item;
      }),
    );
    this.list.hidden = this.offers.length === 0;
    this.input.ariaExpanded = String(!this.list.hidden);
    this.list.scrollTop = 0;
  }

  private close(): void {
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
      if (offer && !this.list.hidden) this.take(offer);
      else if (this.input.value.trim()) {
        this.close();
        this.chosen(this.input.value.trim());
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

  private take(r: NamedRule): void {
    this.input.value = r.name;
    this.close();
    this.chosen(r.name, r);
  }
}
