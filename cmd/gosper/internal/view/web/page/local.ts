// A worker that runs the universe in this page. If there is no server, it takes the place of the server's socket.

/** The part of a socket that a link needs. */
export interface Socket {
  readonly readyState: number;
  binaryType: BinaryType;
  onopen: ((e: Event) => void) | null;
  onmessage: ((e: MessageEvent) => void) | null;
  onclose: ((e: CloseEvent) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export class LocalSocket implements Socket {
  readyState: number = WebSocket.CONNECTING;
  binaryType: BinaryType = "arraybuffer";
  onopen: ((e: Event) => void) | null = null;
  onmessage: ((e: MessageEvent) => void) | null = null;
  onclose: ((e: CloseEvent) => void) | null = null;
  private worker: Worker;

  /** Starts the script of the worker, which fetches the program itself unless it is given one. */
  constructor(script: string, program?: Promise<WebAssembly.Module>) {
    this.worker = new Worker(script, program && { name: "element" });
    program?.then((module) => this.worker.postMessage(module)).catch((e: unknown) => this.end(String(e)));
    this.worker.onmessage = (e: MessageEvent) => {
      if (e.data !== null) {
        this.onmessage?.(e);
        return;
      }
      this.readyState = WebSocket.OPEN;
      this.onopen?.(e);
    };
    this.worker.onerror = (e) => this.end(e.message);
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.worker.postMessage(data);
  }

  close(): void {
    this.end("");
  }

  private end(reason: string): void {
    this.worker.terminate();
    this.readyState = WebSocket.CLOSED;
    this.onclose?.(new CloseEvent("close", { reason }));
  }
}
