// The program that runs universes without a server.

/** Fetches gosper.wasm.gz from a folder and compiles it. */
export async function compile(folder: string): Promise<WebAssembly.Module> {
  const answer = await fetch(new URL("gosper.wasm.gz", folder));
  if (!answer.ok || !answer.body) throw new Error(`gosper.wasm.gz: ${answer.status} ${answer.statusText}`);
  // Most servers send the file as it is, some say that it is gzip and the browser unpacks it.
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const stream = zipped ? new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")) : new Blob([bytes]).stream();
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
}
