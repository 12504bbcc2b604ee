// The worker of a page without a server: it starts the program that the page speaks with (view/web/worker).

import { compile } from "./program";

declare function importScripts(...urls: string[]): void;
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

importScripts("wasm_exec.js");

/** The program: several elements on a page share one, which each worker is sent. */
function program(): Promise<WebAssembly.Module> {
  if (self.name !== "element") return compile(location.href);
  return new Promise((resolve) => {
    self.onmessage = (e: MessageEvent<WebAssembly.Module>) => resolve(e.data);
  });
}

async function start(): Promise<void> {
  const go = new Go();
  await go.run(await WebAssembly.instantiate(await program(), go.importObject));
}

start().catch((e: unknown) => {
  setTimeout(() => {
    throw e; // the page hears of it
  });
});

export {};
