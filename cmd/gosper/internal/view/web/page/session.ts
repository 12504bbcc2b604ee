// A universe of its own, at /u/NAME: its address, the keys to it, and what the controls say of it. The keys travel in the part of an address after #,
// which browsers never send, and are then kept out of sight.

import { takeSecret } from "./token";

/** The session, as the server describes it (view/web/viewer.go). */
export interface About {
  name: string; // empty: the universe that the server began with
  fresh: boolean; // it was made for this page
  watch: boolean; // this page only looks
  listed: boolean;
  editKey: string; // empty where this page may not know it
  watchKey: string;
  may: string[] | null; // what a page that only looks may send; null: everything
}

const free = "new"; // the name in addresses of sessions that are to be made

/** The name of the session that the page shows; empty: the server's first universe. An address without a name gets one. */
export function sessionName(): string {
  if (document.documentElement.dataset.session === undefined) return "";
  const name = location.pathname.split("/").at(-1)!;
  if (name !== free) return name;
  const fresh = Array.from(crypto.getRandomValues(new Uint8Array(8)), (b) => "abcdefghijkmnpqrstuvwxyz23456789"[b % 32]).join("");
  history.replaceState(null, "", fresh + location.hash);
  return fresh;
}

const place = (name: string) => "key:" + name;

/** The key to a session: that of the address, or one that this tab had, or that of a session made in this browser; empty for none. */
export function takeKey(name: string): string {
  if (!name) return "";
  return takeSecret("key", place(name)) || (localStorage.getItem(place(name)) ?? "");
}

/** Remembers the key to a session that may be edited, beyond the tab. */
export function keepKey(about: About): void {
  if (about.name && about.editKey) localStorage.setItem(place(about.name), about.editKey);
}

/** Forgets the keys to a session that is gone. */
export function forgetKey(name: string): void {
  sessionStorage.removeItem(place(name));
  localStorage.removeItem(place(name));
}

/** The address of a session, for who has a key. */
export function addressOf(key: string): string {
  return `${location.origin}${location.pathname}#key=${key}`;
}

/** The address of a session that is to be made, and of the list. */
export function addresses(): { make: string; list: string } {
  const below = new URL(document.documentElement.dataset.session === undefined ? "u/" : "./", location.href.split("#")[0]!).href;
  return { make: below + free, list: below };
}

/** The text of the controls about a session. */
export function describe(a: About): string {
  if (!a.name) return "Everybody who is let in shares this universe. One of your own has links for those who may edit it and for those who may watch.";
  if (a.watch) return "You are watching: others run and edit this universe.";
  return "A universe of its own, private unless it is on the list. With the first link others may edit it, with the second they watch.";
}
