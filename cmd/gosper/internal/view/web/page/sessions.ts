// The list of this browser's universes, and of those that everybody may watch.

import { grouped, short } from "./numbers";
import { person, takeToken } from "./token";

/** As package sessions has it. */
interface Listed {
  name: string;
  rule: string;
  generation: string;
  population: string;
  playing: boolean;
  viewers: number;
  listed: boolean; // everybody may watch it
  mine: boolean; // this browser has made it
}

const often = 2000; // ms between two looks

const token = takeToken();
const note = document.getElementById("note")!;
const table = document.getElementById("sessions") as HTMLTableElement;

function row(s: Listed): HTMLTableRowElement {
  const link = document.createElement("a");
  link.href = s.name;
  link.textContent = s.name;
  const row = document.createElement("tr");
  for (const content of [link, s.rule, grouped(s.generation) + (s.playing ? "" : ", paused"), short(Number(s.population)), grouped(s.viewers), accessTo(s)]) {
    row.insertCell().append(content);
  }
  return row;
}

function accessTo(s: Listed): string {
  if (!s.mine) return "to watch";
  return s.listed ? "yours, on the list" : "yours, private";
}

async function look(): Promise<void> {
  try {
    const answer = await fetch("list.json", { headers: { "Gosper-Person": person(), ...(token && { Authorization: "Bearer " + token }) } });
    if (answer.status === 401) throw new Error("This server wants a token: open this page with #token=SECRET.");
    if (!answer.ok) throw new Error(`The server answers ${answer.status} ${answer.statusText}.`);
    const list = ((await answer.json()) as Listed[]).sort((a, b) => Number(b.mine) - Number(a.mine));
    const wanted = JSON.stringify(list);
    if (table.dataset.shown !== wanted && !table.contains(document.activeElement)) {
      table.tBodies[0]!.replaceChildren(...list.map(row));
      table.dataset.shown = wanted;
    }
    table.hidden = list.length === 0;
    note.textContent = list.length === 0 ? "You have no universe, and none is on the list." : "Your universes, and those that everybody may watch";
  } catch (e) {
    note.textContent = e instanceof Error ? e.message : String(e);
  }
  setTimeout(() => void look(), often);
}

void look();
