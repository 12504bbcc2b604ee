// The keyboard. Keys are Golly's if Golly has one. Tab moves to the next control, as in all pages.

export interface Keys {
  [key: string]: () => void;
}

/** Calls the action of a key, unless the key is typed into a field or belongs to a shortcut of the browser. What first returns has precedence. */
export function listen(keys: Keys, first: () => Keys): void {
  // A button that was pressed with a pointer loses the focus, so that Enter and Space control the universe again.
  addEventListener("click", (e) => {
    const button = e.target instanceof Element && e.target.closest("button, summary, label.check, input[type=range]");
    const focused = document.activeElement;
    // A button may have given the focus to a field, which keeps it.
    if (e.detail > 0 && button && focused instanceof HTMLElement && button.contains(focused) && !button.closest("dialog")) focused.blur();
  });
  addEventListener("keydown", (e) => {
    if (e.altKey || e.metaKey || document.querySelector("dialog[open]")) return;
    const on = e.target as HTMLElement;
    if (on.matches("input:not([type=checkbox]):not([type=range]), textarea, select")) {
      if (e.key === "Escape") on.blur();
      return;
    }
    const isControl = on.matches("button, summary, input");
    if (isControl && (e.key === "Enter" || e.key === " " || e.key.startsWith("Arrow"))) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const shift = e.shiftKey && /^([a-z ]|Enter|Arrow.*)$/.test(key) ? "Shift+" : "";
    const control = e.ctrlKey ? "Ctrl+" : "";
    const both = [first(), keys];
    const actionOf = (combination: string) => both.map((k) => k[combination]).find(Boolean);
    const action = actionOf(control + shift + key) ?? (control ? undefined : actionOf(key));
    if (!action) return;
    e.preventDefault();
    action();
  });
}
