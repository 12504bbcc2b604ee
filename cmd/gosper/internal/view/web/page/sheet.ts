// On a phone the controls are a sheet that a finger pulls down and away. Controls that are used while looking at the picture are beside the sheet.

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

/** On a phone, puts a section of the controls into a bar above the picture, which a button opens: the sheet would cover what the section shows. */
export function onBar(section: HTMLElement, bar: HTMLElement, button: HTMLElement): void {
  const home = document.createComment("");
  section.before(home);
  const show = (yes: boolean) => {
    bar.hidden = !yes;
    button.ariaExpanded = String(yes);
  };
  const phone = matchMedia("(max-width: 860px)"); // as in page.css
  const place = () => {
    show(false);
    if (phone.matches) bar.append(section);
    else home.after(section);
  };
  phone.addEventListener("change", place);
  button.onclick = () => show(bar.hidden);
  place();
}
