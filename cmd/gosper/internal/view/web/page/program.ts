// The program that runs universes without a server.

/** Fetches the program from a folder and compiles it. A server that has it packed, or packs it, sends it so. From others it comes gzipped. */
export async function compile(folder: string): Promise<WebAssembly.Module> {
  const plain = new URL("gosper.wasm", folder);
  const offer = await fetch(plain, { method: "HEAD" });
  if (offer.ok && offer.headers.get("Content-Encoding")) return compiled((await get(plain)).body);
  const answer = await get(new URL("gosper.wasm.gz", folder));
  // Most servers send the file as it is. Some say that it is gzip, and the browser has unpacked it: then it begins with a zero, as all such programs.
  const [ahead, body] = answer.body!.tee();
  const reader = ahead.getReader();
  const first = await reader.read();
  reader.cancel();
  return compiled(first.value?.[0] === 0 ? body : body.pipeThrough(new DecompressionStream("gzip")));
}

async function get(address: URL): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok || !answer.body) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  return answer;
}

/** Not all servers know the type that browsers insist on. */
function compiled(program: ReadableStream | null): Promise<WebAssembly.Module> {
  return WebAssembly.compileStreaming(new Response(program, { headers: { "Content-Type": "application/wasm" } }));
}
