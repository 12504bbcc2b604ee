// A text field that takes any rule and offers the named ones.

import { Combo } from "./combo";

export interface NamedRule {
  name: string;
  aliases: string[];
  notation: string;
  kind: string;
  source: string;
  density: number; // of the soups that its source starts from; 0: not given
}

export class RuleBox {
  private rules: NamedRule[] = [];
  private combo: Combo<NamedRule>;

  constructor(input: HTMLInputElement, list: HTMLUListElement, chosen: (rule: string, named?: NamedRule) => void) {
    this.combo = new Combo(input, list, {
      all: () => this.rules,
      name: (r) => r.name,
      note: (r) => r.notation,
      words: (r) => [r.name, ...r.aliases, r.notation, r.kind].join(" "),
      take: (r) => chosen(r.name, r),
      typed: (text) => chosen(text),
    });
  }

  set catalogue(rules: NamedRule[]) {
    this.rules = rules;
    this.combo.renew();
  }

  /** A rule of the catalogue, by its name or its notation. */
  find(name: string): NamedRule | undefined {
    const text = name.toLowerCase();
    return this.rules.find((r) => [r.name, r.notation, ...r.aliases].some((known) => known.toLowerCase() === text));
  }

  /** Shows a rule, unless another one is being typed. */
  set value(rule: string) {
    this.combo.value = rule;
  }
}
