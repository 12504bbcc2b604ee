// The worker of a page without a server: it starts the program that the page speaks with (view/web/worker).

declare function importScripts(...urls: string[]): void;
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

importScripts("wasm_exec.js");

async function start(): Promise<void> {
  const answer = await fetch("gosper.wasm.gz");
  if (!answer.ok || !answer.body) throw new Error(`gosper.wasm.gz: ${answer.status} ${answer.statusText}`);
  // Most servers send the file as it is, some say that it is gzip and the browser unpacks it.
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const stream = zipped ? new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")) : new Blob([bytes]).stream();
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }), go.importObject);
  await go.run(instance);
}

start().catch((e: unknown) => {
  setTimeout(() => {
    throw e; // the page hears of it
  });
});

export {};
