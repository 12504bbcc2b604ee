// Scripts of patterns: commands in a pattern's comments, between [[ and ]], as LifeViewer has them. Commands that are not listed
// here (themes, layers, …) are passed over. Waypoints (T) and points of interest (POI) are passed over as wholes: words about
// the camera and the speed after them say what is later, not what is at the beginning. As in LifeViewer, TRACK is for the whole
// script wherever it stands, and so are STOP and LOOP unless they follow a POI.
//
//   #C [[ AUTOSTART GPS 20 ZOOM 8 LOOP 120 ]]
//   #C [[ LABEL 12 -4 8 "a glider" ]]

/** A text beside a cell. */
export interface Label {
  x: number; // cells from the pattern's upper left corner
  y: number;
  zoom: number; // at which the text has its own size
  text: string;
}

/** What a script asks for. */
export interface Script {
  autostart: boolean;
  grid: boolean;
  gps?: number; // steps a second
  step?: number; // generations of a step
  zoom?: number; // pixels a cell
  x?: number; // of the camera, in cells from the pattern's middle
  y?: number;
  stop?: number; // the generation to stop at
  loop?: number; // the generation to start again at
  track?: [number, number]; // cells a generation that the camera moves
  labels: Label[];
  ignored: string[]; // commands with all that follows them, each once: T, POI
}

const mostLabels = 100;

/** Reads the scripts in a pattern's text, and then more commands, which win. */
export function readScript(text: string, more = ""): Script {
  const script: Script = { autostart: false, grid: false, labels: [], ignored: [] };
  const state: After = { last: "" };
  for (const [, section] of text.matchAll(/\[\[\s([\s\S]*?)\s\]\]/g)) readSection(section!, script, state);
  readSection(more, script, { last: "" });
  return script;
}

/** The waypoint that came last, to which words about the camera and the speed belong: T, POI, or none. */
interface After {
  last: string;
}

function readSection(section: string, into: Script, state: After): void {
  const beside: Script = { autostart: false, grid: false, labels: [], ignored: [] }; // takes what belongs to waypoints
  const script = () => (state.last ? beside : into);
  const ends = () => (state.last === "POI" ? beside : into);
  const words = section.match(/"[^"\n]*"|\S+/g) ?? [];
  let i = 0;
  const numbers = (n: number): number[] | null => {
    const all = words.slice(i, i + n).map(number);
    if (all.length < n || all.some(isNaN)) return null;
    i += n;
    return all;
  };
  const natural = (): number | undefined => {
    const n = numbers(1)?.[0];
    return n !== undefined && Number.isSafeInteger(n) && n > 0 ? n : undefined;
  };
  const velocity = () => numbers(2) as [number, number] | null;
  const zoom = (): number | undefined => {
    const z = numbers(1)?.[0];
    return z === undefined || z === 0 ? undefined : z < 0 ? -1 / z : z; // -4 is 1/4
  };
  while (i < words.length) {
    const word = words[i++]!.toUpperCase();
    switch (word) {
      case "T":
      case "POI":
        state.last = word;
        if (!into.ignored.includes(word)) into.ignored.push(word);
        break;
      case "AUTOSTART":
        into.autostart = true;
        break;
      case "GRID":
        into.grid = true;
        break;
      case "GPS":
        script().gps = numbers(1)?.find((n) => n > 0) ?? script().gps;
        break;
      case "STEP":
        script().step = natural() ?? script().step;
        break;
      case "STOP":
        ends().stop = natural() ?? ends().stop;
        break;
      case "LOOP":
        ends().loop = natural() ?? ends().loop;
        break;
      case "ZOOM":
      case "Z":
        script().zoom = zoom() ?? script().zoom;
        break;
      case "X":
        script().x = numbers(1)?.[0] ?? script().x;
        break;
      case "Y":
        script().y = numbers(1)?.[0] ?? script().y;
        break;
      case "TRACK":
        into.track = velocity() ?? into.track;
        break;
      case "TRACKLOOP": {
        const loop = natural();
        const track = loop === undefined ? null : velocity();
        if (track) [into.loop, into.track] = [loop, track];
        break;
      }
      case "LABEL": {
        const at = numbers(2);
        const scale = zoom();
        const quoted = words[i];
        if (!at || scale === undefined || !quoted?.startsWith('"')) break;
        i++;
        if (into.labels.length < mostLabels) into.labels.push({ x: at[0]!, y: at[1]!, zoom: scale, text: quoted.replaceAll('"', "").replaceAll("\\n", "\n") });
      }
    }
  }
}

/** A number as scripts write it: 12, -0.5, 1/4. NaN: it is none. */
function number(word: string): number {
  const m = /^([-+]?\d+(?:\.\d*)?)(?:\/(\d+))?$/.exec(word);
  return m ? Number(m[1]) / (m[2] ? Number(m[2]) : 1) : NaN;
}
