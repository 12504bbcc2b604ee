// The keyboard, as in Golly where Golly has a key for it. Tab keeps its meaning in pages: the next control.

export interface Keys {
  [key: string]: () => void;
}

/** Calls what stands under a key's name, unless somebody is typing or means a shortcut of the browser. */
export function listen(keys: Keys): void {
  addEventListener("keydown", (e) => {
    if (e.altKey || e.metaKey || document.querySelector("dialog[open]")) return;
    const on = e.target as HTMLElement;
    if (on.matches("input:not([type=checkbox]):not([type=range]), textarea, select")) {
      if (e.key === "Escape") on.blur();
      return;
    }
    const isControl = on.matches("button, summary, input");
    if (isControl && (e.key === "Enter" || e.key === " " || e.key.startsWith("Arrow"))) return;
    const name = (e.ctrlKey ? "Ctrl+" : "") + (e.key.length === 1 ? e.key.toLowerCase() : e.key);
    const action = keys[name];
    if (!action) return;
    e.preventDefault();
    action();
  });
}
