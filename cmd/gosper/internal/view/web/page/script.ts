// Scripts of patterns: commands in a pattern's comments, between [[ and ]], as LifeViewer has them. Words that are not known here, and known words whose
// values make no sense, are listed: nothing is applied by halves.
//
//   #C [[ AUTOSTART GPS 20 ZOOM 8 LOOP 120 ]]
//   #C [[ T 100 X 5 ZOOM 20 ANGLE 90 ]]
//   #C [[ LABEL 12 -4 8 "a glider" ]]

/** How the universe is looked at from a generation on, or at a point of interest. Undefined members stay as they were. */
export interface Waypoint {
  at: number; // generation
  x?: number; // of the camera, in cells from the pattern's middle
  y?: number;
  zoom?: number; // pixels a cell
  angle?: number; // degrees, clockwise
  theme?: string;
  gps?: number; // steps a second
  step?: number; // generations of a step
  linear?: string[]; // values that come here at an even pace; the others start and stop smoothly
}

/** A text, an arrow, a line or a polygon over the cells. */
export interface Mark {
  kind: "LABEL" | "ARROW" | "LINE" | "POLYGON";
  points: number[]; // x, y, x, y, … in cells from the pattern's upper left corner
  zoom: number; // at which it has its own size
  text: string;
  colour?: string;
  alpha: number;
  from: number; // the generations in which it shows
  to: number;
}

/** The commands of a script. */
export interface Script {
  autostart: boolean;
  autofit: boolean;
  grid: boolean;
  stop?: number; // the generation to stop at
  loop?: number; // the generation to start again at
  track?: [number, number]; // cells a generation that the camera moves
  path: [Waypoint, ...Waypoint[]]; // the first is the beginning
  pois: Waypoint[];
  colours: { [name: string]: string }; // #rrggbb of what COLOR names
  marks: Mark[];
  pastes: { at: number; rle: string; x: number; y: number; mode: string }[]; // x and y as those of marks
  ignored: string[]; // words that are not followed, each once
}

const mostMarks = 100;
const [mostGps, mostStep] = [60, 50]; // as in LifeViewer
const parts = ["BACKGROUND", "ALIVE", "ALIVERAMP", "DEAD", "DEADRAMP", "BOUNDED", "LABEL", "ARROW", "POLY"];
const modes: { [name: string]: string } = { OR: "or", XOR: "xor", COPY: "replace" };

/** Themes by LifeViewer's numbers. The colours are Gosper's. */
const numbered = ["mono", "blues", "fire", "poison", "yellow", "grey", "ocean", "ice", "green", "red", "book"];

/** Reads the scripts in a pattern's text, and then more commands, which win. */
export function readScript(text: string, more = ""): Script {
  const script: Script = { autostart: false, autofit: false, grid: false, path: [{ at: 0 }], pois: [], colours: {}, marks: [], pastes: [], ignored: [] };
  const words = [...text.matchAll(/\[\[\s([\s\S]*?)\s\]\]/g)].map(([, section]) => section!.replace(/^#\S*/gm, "")).join(" ");
  read(words, script);
  read(more, script);
  const [first, ...later] = script.path;
  script.path = [first, ...later.sort((a, b) => a.at - b.at)];
  return script;
}

function read(text: string, script: Script): void {
  const words = text.match(/"[^"\n]*"|\S+/g) ?? [];
  let i = 0;
  let now = script.path[0]; // what words about the view and the speed are for
  let [alpha, from, to, mode] = [1, 0, Infinity, "or"];
  let times = [0];
  const numbers = (n: number): number[] | null => {
    const all = words.slice(i, i + n).map(number);
    if (all.length < n || all.some(isNaN)) return null;
    i += n;
    return all;
  };
  /** The next number, if it is good. */
  const one = (good: (n: number) => boolean = () => true): number | undefined => {
    const n = numbers(1)?.[0];
    return n !== undefined && good(n) ? n : undefined;
  };
  const whole = (least: number, most = Infinity) => one((n) => Number.isSafeInteger(n) && n >= least && n <= most);
  const size = (n: number) => (n < 0 ? -1 / n : n); // -4 is 1/4
  const refuse = (word: string) => void (script.ignored.includes(word) || script.ignored.push(word));
  while (i < words.length) {
    const word = words[i++]!.toUpperCase();
    /** Sets a value, or says that it makes no sense. */
    const set = <T extends object, K extends keyof T>(of: T, name: K, value: T[K] | null | undefined) => {
      if (value === undefined || value === null) refuse(word);
      else of[name] = value;
    };
    switch (word) {
      case "T": {
        const at = whole(0);
        now = { at: at ?? 0 };
        if (at === undefined) refuse(word);
        else script.path.push(now);
        break;
      }
      case "POI":
        script.pois.push((now = { at: NaN }));
        break;
      case "AUTOSTART":
      case "AUTOFIT":
      case "GRID":
        script[word.toLowerCase() as "grid"] = true;
        break;
      case "GPS":
        set(now, "gps", one((n) => n > 0 && n <= mostGps));
        break;
      case "STEP":
        set(now, "step", whole(1, mostStep));
        break;
      case "STOP":
      case "LOOP": {
        const at = whole(1);
        if (script.pois.includes(now)) refuse(word); // LifeViewer does not have it for the whole script there
        else set(script, word === "STOP" ? "stop" : "loop", at);
        break;
      }
      case "ZOOM":
      case "Z": {
        const z = one((n) => n !== 0);
        set(now, "zoom", z && size(z));
        break;
      }
      case "X":
      case "Y":
      case "ANGLE":
        set(now, word.toLowerCase() as "x", one());
        break;
      case "LINEAR": {
        const what = words[i]?.toUpperCase() ?? "";
        if (!/^(ALL|X|Y|ZOOM|ANGLE)$/.test(what)) refuse(word);
        else now.linear = [...(now.linear ?? []), words[i++]!.toLowerCase()];
        break;
      }
      case "THEME": {
        const n = one() ?? NaN;
        if (numbered[n]) now.theme = numbered[n];
        else refuse(isNaN(n) ? word : `${word} ${n}`);
        break;
      }
      case "COLOR":
      case "COLOUR": {
        const name = words[i++]?.toUpperCase() ?? "";
        const rgb = /^#[0-9a-f]{6}$/i.test(words[i] ?? "") ? words[i++]!.toLowerCase() : numbers(3);
        const good = typeof rgb === "string" || rgb?.every((v) => Number.isInteger(v) && v >= 0 && v <= 255);
        if (!good || (!parts.includes(name) && !/^\d{1,3}$/.test(name))) refuse(`${word} ${name}`);
        else script.colours[name] = typeof rgb === "string" ? rgb : "#" + rgb!.map((v) => v.toString(16).padStart(2, "0")).join("");
        break;
      }
      case "TRACK":
        set(script, "track", numbers(2) as [number, number] | null);
        break;
      case "TRACKLOOP": {
        const loop = whole(1);
        const track = loop === undefined ? null : numbers(2);
        if (track) [script.loop, script.track] = [loop, track as [number, number]];
        else refuse(word);
        break;
      }
      case "LABELALPHA":
      case "ARROWALPHA":
      case "POLYALPHA":
        alpha = one((n) => n >= 0 && n <= 1) ?? (refuse(word), alpha);
        break;
      case "LABELT":
      case "ARROWT":
      case "POLYT": {
        const span = numbers(2);
        if (span) [from, to] = span as [number, number];
        else refuse(word);
        break;
      }
      case "LABEL":
      case "ARROW":
      case "LINE":
      case "POLYLINE":
      case "POLYFILL":
      case "POLYGON": {
        const all: number[] = [];
        for (let n; (n = numbers(1)); ) all.push(n[0]!);
        const quoted = word === "LABEL" && words[i]?.startsWith('"') ? words[i++]! : "";
        const zoom = size(all.pop() ?? 0);
        const n = all.length;
        const fits = word === "LABEL" ? n === 2 && quoted : word === "ARROW" ? n === 4 : n >= (/GON|FILL/.test(word) ? 6 : 4) && n % 2 === 0;
        if (!fits || !isFinite(zoom) || zoom === 0 || script.marks.length >= mostMarks) {
          refuse(word);
          break;
        }
        const kind = word === "POLYLINE" ? "LINE" : word === "POLYFILL" ? "POLYGON" : word;
        const colour = script.colours[kind === "LABEL" || kind === "ARROW" ? kind : "POLY"];
        script.marks.push({ kind, points: all, zoom, text: quoted.replaceAll('"', "").replaceAll("\\n", "\n"), colour, alpha, from, to });
        break;
      }
      case "PASTEMODE": {
        const name = words[i++]?.toUpperCase() ?? "";
        if (modes[name]) mode = modes[name];
        else refuse(`${word} ${name}`);
        break;
      }
      case "PASTET": {
        times = [];
        for (let n; (n = numbers(1)); ) times.push(n[0]!);
        if (times.length === 0 || !times.every((t) => Number.isSafeInteger(t) && t >= 0)) refuse(word);
        break;
      }
      case "PASTE": {
        const rle = words[i++] ?? "";
        const at = numbers(2);
        if (!at?.every(Number.isSafeInteger) || !/^[\d.bo$A-X]+!$/.test(rle) || !times.every((t) => Number.isSafeInteger(t) && t >= 0)) refuse(word);
        else for (const t of times) script.pastes.push({ at: t, rle, x: at[0]!, y: at[1]!, mode });
        break;
      }
      default:
        if (isNaN(number(word)) && !word.startsWith('"')) refuse(word);
    }
  }
}

/** A number as scripts write it: 12, -0.5, 1/4. NaN: it is none. */
function number(word: string): number {
  const m = /^([-+]?\d+(?:\.\d*)?)(?:\/(\d+))?$/.exec(word);
  return m ? Number(m[1]) / (m[2] ? Number(m[2]) : 1) : NaN;
}

/** Where the camera is, and how the universe plays. */
export interface Moment {
  x: number;
  y: number;
  zoom: number; // 0: all of the pattern is seen
  angle: number;
  theme: string; // empty: none
  gps?: number;
  step?: number;
}

/** The view that a script asks for at a time, in generations since the beginning, for a pattern that fills the view at a zoom. */
export function momentAt(script: Script, time: number, fitted: number): Moment {
  let before: Moment & { at: number } = { at: 0, x: 0, y: 0, zoom: fitted, angle: 0, theme: "" };
  let now: Moment = before;
  for (const point of script.path) {
    const next = { ...before, ...point };
    if (point.at > time) {
      // On the way to a waypoint the view changes. The theme and the speed change at it.
      const part = (time - before.at) / (point.at - before.at);
      const way = (name: string) => (point.linear?.some((l) => l === name || l === "all") ? part : part * part * (3 - 2 * part));
      const between = (name: "x" | "y" | "angle") => before[name] + (next[name] - before[name]) * way(name);
      now = { ...before, x: between("x"), y: between("y"), angle: between("angle"), zoom: before.zoom * (next.zoom / before.zoom) ** way("zoom") };
      break;
    }
    now = before = next;
  }
  const [dx, dy] = script.track ?? [0, 0];
  return { ...now, x: now.x + time * dx, y: now.y + time * dy };
}
