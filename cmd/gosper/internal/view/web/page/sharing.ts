// Links: to a universe as it is shown, and to a session for those who may edit it or watch.

import type { Context } from "./context";
import type { Files } from "./files";
import { grouped } from "./numbers";
import { element } from "./panel";
import { longestCells, pack, writePermalink, type Permalink } from "./permalink";
import { addresses, addressOf, describe, keepKey, type About } from "./session";

export class Sharing {
  constructor(
    private page: Context,
    private files: Files,
  ) {
    this.connectSession();
  }

  /** Says what session this is, and hides what those who only look may not do. */
  show(about: About): void {
    keepKey(about);
    document.body.classList.toggle("watching", about.watch);
    element("watching").hidden = !about.watch;
    element("sessions").hidden = false;
    element("sessions-note").textContent = describe(about);
    element("session-links").hidden = element("session-list").hidden = !about.editKey;
    element<HTMLInputElement>("listed").checked = about.listed;
    element<HTMLInputElement>("rule").readOnly = about.watch;
    if (about.fresh) this.page.notify("This universe is yours. The links to it are among the controls.");
  }

  private permalink(): Permalink {
    const s = this.page.status!;
    const link: Permalink = { rule: s.rule, generation: s.generation, ...this.page.place };
    if (s.soup) {
      link.seed = s.soup.seed;
      link.density = s.soup.density;
      if (s.soup.start !== "soup") link.start = s.soup.start;
      if (s.soup.cells) link.rle = s.soup.cells;
      if (!s.bounded) link.size = [s.soup.width, s.soup.height];
    } else if (s.builtin) link.pattern = s.builtin;
    return link;
  }

  /** Copies a link, or the HTML of an element that shows the same. */
  copyLink(embeds = false): void {
    const s = this.page.status;
    if (!s) return;
    if (!s.edited && (s.soup || s.builtin)) void this.publish(this.permalink(), embeds);
    else
      this.files.save(async (rle) => {
        const packed = await pack(rle);
        if (packed.length <= longestCells) void this.publish({ rle: packed, ...this.page.place }, embeds);
        else this.page.notify(`The cells take ${grouped(packed.length)} characters, and a link has room for ${grouped(longestCells)}: save them as a file.`, true);
      });
  }

  /** Puts a link on the clipboard and into the address bar. */
  private async publish(link: Permalink, embeds: boolean): Promise<void> {
    if (embeds) return this.give(htmlOf(link), "The HTML of this universe");
    if (this.page.name) return this.give(addresses().make + writePermalink(link), "The link to a universe like this");
    history.replaceState(null, "", writePermalink(link));
    try {
      await navigator.clipboard.writeText(location.href);
      this.page.notify("The link is copied.");
    } catch {
      this.page.notify("The link stands in the address bar.");
    }
  }

  /** Puts a link on the clipboard, or where it can be copied from. */
  private async give(address: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(address);
      this.page.notify(`${what} is copied.`);
    } catch {
      prompt(`${what}:`, address);
    }
  }

  private connectSession(): void {
    element("edit-link").onclick = () => void this.give(addressOf(this.page.about!.editKey), "The link for editing");
    element("watch-link").onclick = () => void this.give(addressOf(this.page.about!.watchKey), "The link for watching");
    const listed = element<HTMLInputElement>("listed");
    listed.onchange = () => this.page.link.send({ do: "list", on: listed.checked });
    const { make, list } = addresses();
    element<HTMLAnchorElement>("make-session").href = make;
    element<HTMLAnchorElement>("all-sessions").href = list;
  }
}

/** HTML that shows a universe. The element's files are those of a page without a server; docs/serve.md says how to make them. */
function htmlOf(link: Permalink): string {
  const script = document.documentElement.dataset.server === "none" ? new URL("embed.js", location.href).href : "gosper/embed.js";
  const address = writePermalink(link).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<script type="module" src="${script}"></script>\n<gosper-life link="${address}" controls></gosper-life>\n`;
}
