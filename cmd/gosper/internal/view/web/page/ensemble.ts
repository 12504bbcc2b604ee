// The page of an ensemble: how far it is, who computes it, its figures, and its universes, each a link to the viewer.

import { grouped, short } from "./numbers";
import { writePermalink } from "./permalink";
import { takeToken } from "./token";

/** As package dashboard has it. */
interface State {
  folder: string;
  universes: number;
  jobs: number;
  done: number;
  parked: number;
  workers: { name: string; jobs: number; universes: number }[];
  figures: { name: string; title: string }[];
  merged: number; // jobs whose results are in the figures
  known: number; // universes that are listed
  problem: string; // why the figures are not up to date; empty if they are
}

interface Universe {
  rule: string;
  width: number;
  height: number;
  density: number;
  start: string;
  cells: string; // of its pattern, RLE
  seed: string;
  index: number;
  generation: string;
  population: string;
  settled: boolean | null;
  transient: number | null;
  period: number | null;
}

const often = 2000; // ms between two looks at an ensemble that runs
const rarely = 10_000; // at one that is done
const page = 100; // universes at once, as package dashboard lists them

const token = takeToken();
const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

let merged = -1;
let from = 0;
let known = 0;

async function ask(path: string): Promise<Response> {
  const answer = await fetch("data/" + path, { headers: token ? { Authorization: "Bearer " + token } : {} });
  if (answer.status === 401) throw new Error("This server wants a token: open this page with #token=SECRET.");
  if (!answer.ok) throw new Error(`The server answers ${answer.status} ${answer.statusText}.`);
  return answer;
}

function cells(row: HTMLTableRowElement, texts: (string | Node)[]): HTMLTableRowElement {
  row.append(
    ...texts.map((t) => {
      const cell = document.createElement("td");
      cell.append(t);
      return cell;
    }),
  );
  return row;
}

function show(s: State): void {
  document.title = `${Math.floor((100 * s.done) / Math.max(s.jobs, 1))}\u2009% of ${s.folder} · Gosper`;
  element("folder").textContent = s.folder;
  const bar = element<HTMLProgressElement>("progress");
  [bar.max, bar.value] = [s.jobs, s.done];
  const words = [`${grouped(s.done)} of ${grouped(s.jobs)} jobs`, `${grouped(s.universes)} universes in all`];
  if (s.parked > 0) words.push(`${grouped(s.parked)} jobs failed too often`);
  if (s.merged < s.done) words.push(`figures of ${grouped(s.merged)} jobs`);
  if (s.problem) words.push(s.problem);
  element("done").textContent = words.join(" · ");
  element("done").dataset.done = String(s.done);
  const workers = element<HTMLTableElement>("workers");
  workers.hidden = s.workers.length === 0;
  workers.tBodies[0]!.replaceChildren(
    ...s.workers.map((w) => cells(document.createElement("tr"), [w.name, grouped(w.jobs), grouped(w.universes)])),
  );
}

/** Fetches the figures again and puts them where the old ones are, so that nothing jumps. */
async function draw(s: State): Promise<void> {
  const into = element("figures");
  const sources = await Promise.all(s.figures.map(async (f) => URL.createObjectURL(await (await ask("figure/" + f.name)).blob())));
  while (into.children.length > s.figures.length) into.lastElementChild!.remove();
  s.figures.forEach((f, i) => {
    const picture = (into.children[i] as HTMLImageElement | undefined) ?? into.appendChild(new Image());
    URL.revokeObjectURL(picture.src);
    picture.src = sources[i]!;
    picture.alt = f.title || f.name;
  });
}

/** Lists some universes. */
async function list(): Promise<void> {
  const some = (await (await ask("universes?from=" + from)).json()) as Universe[];
  element<HTMLTableElement>("universes").tBodies[0]!.replaceChildren(
    ...some.map((u) => {
      const link = document.createElement("a");
      const begin = u.start === "soup" ? {} : { start: u.start, rle: u.cells };
      const place = { rule: u.rule, density: u.density, seed: u.seed, generation: "0", ...begin };
      link.href = "../" + writePermalink(u.rule.includes(":") ? place : { ...place, size: [u.width, u.height] });
      link.textContent = grouped(u.index);
      link.title = `seed ${u.seed}`;
      const settled = u.settled === null ? "" : u.settled ? `${short(u.transient ?? 0)}, period ${u.period ?? 0}` : "no";
      return cells(document.createElement("tr"), [link, u.rule, u.start, String(u.density), grouped(u.generation), grouped(u.population), settled]);
    }),
  );
  element("range").textContent = some.length > 0 ? `${grouped(from + 1)} to ${grouped(from + some.length)} of ${grouped(known)}` : "";
  element<HTMLButtonElement>("before").disabled = from === 0;
  element<HTMLButtonElement>("after").disabled = from + some.length >= known;
}

async function look(): Promise<void> {
  let wait = rarely;
  try {
    const s = (await (await ask("state")).json()) as State;
    show(s);
    if (s.merged !== merged) {
      known = s.known;
      await Promise.all([draw(s), list()]);
      merged = s.merged;
    }
    if (s.done < s.jobs) wait = often;
  } catch (e) {
    element("done").textContent = e instanceof Error ? e.message : String(e);
  }
  setTimeout(() => void look(), wait);
}

const turn = (by: number) => () => {
  from = Math.max(0, from + by);
  void list();
};
element("before").onclick = turn(-page);
element("after").onclick = turn(page);
void look();
