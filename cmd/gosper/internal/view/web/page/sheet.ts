// On a phone the controls are a sheet that a finger pulls down and away.

const enough = 70; // CSS pixels of a pull that closes the sheet

/** Lets a finger pull a sheet down by its grip. closed is called when it has gone far enough. */
export function onSwipeDown(grip: HTMLElement, sheet: HTMLElement, closed: () => void): void {
  let from: number | null = null;
  const by = (e: PointerEvent) => Math.max(e.clientY - from!, 0);
  grip.addEventListener("pointerdown", (e) => {
    from = e.clientY;
    grip.setPointerCapture(e.pointerId);
  });
  grip.addEventListener("pointermove", (e) => {
    if (from !== null) sheet.style.translate = `0 ${by(e)}px`;
  });
  const end = (e: PointerEvent) => {
    if (from === null) return;
    const far = e.type === "pointerup" && by(e) > enough;
    from = null;
    sheet.style.translate = "";
    if (far) closed();
  };
  grip.addEventListener("pointerup", end);
  grip.addEventListener("pointercancel", end);
}
