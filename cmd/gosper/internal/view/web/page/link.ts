// The connection to the server (view/web/message.go): commands and status as JSON, frames and patterns as bytes. It comes back by
// itself when the server does.

import type { Lattice, Rect } from "./camera";
import type { Clip } from "./editor";
import { decodeFrame, type Frame } from "./frame";
import { LocalSocket, type Socket } from "./local";
import type { ObjectList } from "./objects";
import type { About } from "./session";

/** Where a universe is active, as the server says. */
export interface Places {
  generation: string; // of the measurement; "0": there was none
  at: [number, number, number, number, number][]; // x, y, w, h, cells that change; the most active first
}

/** The state of the universe, as the server reports it. Numbers that may pass 2^53 are decimal strings. */
export interface Status {
  generation: string;
  playing: boolean;
  /** Playing ends soon: it is a step. */
  stepping: boolean;
  target: string | null; // the generation that somebody goes to; null if nobody does
  step: string; // generations at once; "0": as fast as the engine goes
  perSecond: number;
  rate: number;
  population: string;
  counted: string;
  box: [number, number, number, number];
  corner: [number, number]; // the coordinates that pattern files give cell 0,0
  bounded: boolean;
  width: number;
  height: number; // rows; of a volume those of all its layers
  depth: number; // layers; 0 in two dimensions
  rule: string;
  ruleName: string;
  lattice: Lattice;
  states: number;
  names: string[] | null; // of the states of a rule file; empty for one that has none
  colours: string[] | null; // of the states of a rule file; null for other rules
  name: string;
  builtin: string; // the pattern by the name that loads it; empty for others
  soup: { width: number; height: number; seed: string; density: number; start: string; cells: string } | null;
  script: string; // comments of the pattern that have commands; empty: there are none
  edited: boolean;
  outside: string; // live cells of the pattern that lie outside the universe and were left out
  drawn: string; // how often people have changed cells, undone a change or redone one
  loaded: string; // which of the universes loaded so far this is; "0": the first is not there yet
  universe: string; // identifies this universe among those of all servers; empty: the first is not there yet
  loading: number | null; // the share of the universe on its way that is there; below 0: not known
  undo: number; // how many actions this viewer can undo
  redo: number;
  failure: string;
  engine: string;
  chosen: string; // the name by which somebody has chosen the engine; empty: nobody has
  device: string;
  plan: string;
  bytes: number;
  viewers: number;
  framesPerSecond: number;
}

export interface Sample {
  generation: number;
  population: number;
  activity: number; // below 0: not known
}

/** A message in JSON. It has one of these members. */
interface Message {
  status?: Status;
  series?: [number, number, number][];
  pattern?: string;
  clip?: Omit<Clip, "cells"> & { cells: string };
  area?: [number, number, number, number];
  objects?: ObjectList;
  places?: Places;
  sized?: number;
  session?: About;
  problem?: string;
}

/** Handlers for what comes in. */
export interface Listener {
  frame(f: Frame): void;
  status(s: Status): void;
  series(s: Sample[]): void;
  /** The present cells as RLE, as asked for. */
  pattern(rle: string): void;
  /** A GIF, as asked for. */
  film(gif: ArrayBuffer): void;
  /** The cells that were copied. */
  clip(clip: Clip): void;
  /** Where the cells are that were turned, or that are alive. */
  area(area: Rect): void;
  /** The objects that were asked for. */
  objects(list: ObjectList): void;
  /** Where the universe is active. */
  places(p: Places): void;
  /** The sizes of clusters are known: that of the largest. */
  sized(largest: number): void;
  /** What session this is; not said of a universe that cannot have others beside it. */
  session?(about: About): void;
  problem(text: string): void;
  connected(): void;
  /** The connection is gone. */
  disconnected(why: Loss): void;
}

/** Why a connection is gone. */
export interface Loss {
  /** The server wants another token, and is not tried again; nor is it where a session is refused, or is no more. */
  refused: "token" | "session" | "gone" | null;
  words: string; // the server's reason; empty: it gave none
}

/** How a server ends a socket for good, and why (view/web/http.go). */
const refusals = new Map<number, Loss["refused"]>([
  [1008, "session"],
  [4410, "gone"],
]);

const tryAgainLater = 1013;

const firstWait = 250; // ms to the first attempt to reconnect
const longestWait = 4000;
const protocol = "gosper.1";

export class Link {
  private socket: Socket | null = null;
  private wait = firstWait;
  private closed = false;
  private seen = 0; // sequence number of the newest frame not acknowledged yet
  private samples?: Uint32Array; // of the newest frame from the server, which the next one may change
  private may: Set<string> | null = null; // the commands of a page that only looks, which the server allows; null: all

  constructor(
    private url: string, // of the server's socket; empty: there is no server
    private secrets: { token: string; key?: string; person?: string }, // of the server, of the session, and of this browser
    private on: Listener,
    private local: () => Socket = () => new LocalSocket("worker.js"), // used if there is no server
    private probe = "stats", // what the server answers with the token only
  ) {
    this.open();
  }

  get hasServer(): boolean {
    return this.url !== "";
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Sends a command; false: there is no connection, or the page may only look and says so. */
  send(command: { do: string; [field: string]: unknown }): boolean {
    if (this.may && !this.may.has(command.do)) return this.refuse();
    if (this.url && command.do === "view") command.changes = true; // within this page, they cost more than they save
    if (this.isOpen) this.socket!.send(JSON.stringify(command));
    return this.isOpen;
  }

  /** Sends the bytes of a pattern file; false as above. */
  sendPattern(bytes: Uint8Array<ArrayBuffer>): boolean {
    if (this.may) return this.refuse();
    if (this.isOpen) this.socket!.send(bytes);
    return this.isOpen;
  }

  private refuse(): boolean {
    this.on.problem("You are watching: this link changes nothing.");
    return false;
  }

  /** Tells the server that the last frame is on the screen and another one may come. */
  acknowledge(): void {
    if (this.seen > 0) this.send({ do: "ack", sequence: this.seen });
    this.seen = 0;
  }

  /** Tries with another token. */
  retry(token: string): void {
    this.secrets.token = token;
    this.wait = firstWait;
    this.open();
  }

  /** Tries without the key, to make another session of the same name. */
  renew(): void {
    this.secrets.key = "";
    this.open();
  }

  /** Ends the connection for good. */
  close(): void {
    this.closed = true;
    this.socket?.close();
  }

  private open(): void {
    if (this.closed) return;
    const socket = this.dial();
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.wait = firstWait;
      this.seen = 0;
      this.on.connected();
    };
    socket.onmessage = (e: MessageEvent<ArrayBuffer | string>) => this.receive(e.data);
    socket.onclose = async (e) => {
      this.socket = null;
      if (this.closed) return;
      const refused = this.url && refusals.get(e.code);
      if (refused) {
        this.on.disconnected({ refused, words: e.reason });
        return;
      }
      // Browsers do not tell why a socket was refused; the probe asks for the same token.
      if (!opened && (await this.isRefused())) {
        this.on.disconnected({ refused: "token", words: "" });
        return;
      }
      const busy = e.code === tryAgainLater;
      if (busy) this.wait = longestWait;
      this.on.disconnected({ refused: null, words: busy ? e.reason : "" });
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, longestWait);
    };
  }

  private dial(): Socket {
    if (!this.url) return this.local();
    const { token, key, person } = this.secrets;
    const protocols = [protocol];
    if (token) protocols.push("token." + encodeSecret(token));
    if (key) protocols.push("key." + encodeSecret(key));
    if (person) protocols.push("person." + encodeSecret(person));
    return new WebSocket(this.url, protocols);
  }

  private async isRefused(): Promise<boolean> {
    if (!this.url) return false;
    try {
      const { token } = this.secrets;
      const answer = await fetch(this.probe, { headers: token ? { Authorization: "Bearer " + token } : {} });
      return answer.status === 401;
    } catch {
      return false;
    }
  }

  private receive(data: ArrayBuffer | string): void {
    if (typeof data !== "string") {
      if (isFilm(data)) this.on.film(data);
      const f = decodeFrame(data, this.samples);
      if (!f) return;
      if (this.url) this.samples = f.bits.slice();
      this.seen = f.sequence;
      this.on.frame(f);
      return;
    }
    const m = JSON.parse(data) as Message;
    if (m.session) {
      this.may = m.session.may && new Set(m.session.may);
      if (m.session.editKey) this.secrets.key = m.session.editKey; // to come back with
      this.on.session?.(m.session);
    }
    if (m.status) this.on.status(m.status);
    if (m.series) this.on.series(m.series.map(([generation, population, activity]) => ({ generation, population, activity })));
    if (m.pattern !== undefined) this.on.pattern(m.pattern);
    if (m.clip) this.on.clip({ ...m.clip, cells: Uint8Array.from(atob(m.clip.cells), (c) => c.charCodeAt(0)) });
    if (m.area) this.on.area({ x: m.area[0], y: m.area[1], w: m.area[2], h: m.area[3] });
    if (m.objects) this.on.objects(m.objects);
    if (m.places) this.on.places(m.places);
    if (m.sized !== undefined) this.on.sized(m.sized);
    if (m.problem !== undefined) this.on.problem(m.problem);
  }
}

/** Whether a message is a GIF. Frames begin with a 1. */
function isFilm(message: ArrayBuffer): boolean {
  return message.byteLength > 0 && new Uint8Array(message)[0] === 0x47;
}

/** A secret as a word that may stand in a header: base64url of its UTF-8. */
function encodeSecret(secret: string): string {
  const bytes = new TextEncoder().encode(secret);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
