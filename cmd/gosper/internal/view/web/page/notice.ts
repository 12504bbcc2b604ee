// The line that says what has happened, for some time.

import { element } from "./panel";

const showFor = 5000; // ms

export class Notice {
  private line = element("notice");
  private ends = 0; // 0: it is hidden

  /** Shows a text; wrong: something was refused or failed. */
  show(text: string, wrong = false, ms = showFor): void {
    this.line.textContent = text;
    this.line.classList.toggle("wrong", wrong);
    this.line.hidden = false;
    this.ends = performance.now() + ms;
  }

  hide(): void {
    this.line.hidden = true;
    this.ends = 0;
  }

  /** Whether it stays until it is hidden. */
  get stays(): boolean {
    return this.ends === Infinity;
  }

  /** Hides what was refused or failed, unless it stays. */
  forgive(): void {
    if (this.line.classList.contains("wrong") && !this.stays) this.hide();
  }

  /** Hides the line when its time is over. */
  advance(now: number): void {
    if (this.ends > 0 && now > this.ends) this.hide();
  }
}
