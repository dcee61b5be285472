/**
 * Gives up the network but for one server, for the rest of this process (STOCKTRIM-12).
 *
 * The runtime can take a permission away from a program, but where all of the network was granted it cannot take away
 * all but one server. A worker can be started with just that one. So a worker gets it and does nothing but send
 * requests there, and this thread keeps nothing.
 */

import type { Http, HttpRequest, HttpResult } from "../mod.ts";
import { exchange, NOT_SENT, pastProxies } from "./http.ts";

/** What the worker is told: a request with its number, or the number of one to give up. */
type Message =
  | { readonly id: number; readonly request: Omit<HttpRequest, "signal"> }
  | { readonly id: number; readonly request: null };

/** The whole program of the worker. */
function program(): string {
  return `const exchange = ${String(exchange)};
    const running = new Map();
    self.onmessage = async ({ data: { id, request } }) => {
      if (request === null) return running.get(id)?.abort();
      const control = new AbortController();
      running.set(id, control);
      const result = await exchange(request, control.signal);
      running.delete(id);
      self.postMessage({ id, result });
    };`;
}

/** Host and port of a URL as the runtime's permissions name them. */
function hostOf(origin: string): string {
  const { hostname, port, protocol } = new URL(origin);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

function startWorker(host: string): Worker {
  return new Worker(`data:application/javascript,${encodeURIComponent(program())}`, {
    type: "module",
    name: "network",
    deno: {
      permissions: {
        net: [host],
        env: false,
        ffi: false,
        import: false,
        read: false,
        run: false,
        sys: false,
        write: false,
      },
    },
  });
}

/** The thread that has the network, and what it was asked. */
class Messenger {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (result: HttpResult) => void>();
  #last = 0;

  constructor(host: string) {
    this.#worker = startWorker(host);
    this.#worker.onmessage = ({ data }: MessageEvent<{ id: number; result: HttpResult }>) => {
      this.#waiting.get(data.id)?.(data.result);
      this.#waiting.delete(data.id);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      for (const settle of this.#waiting.values()) {
        settle({ answered: false, failure: "interrupted", reason: event.message });
      }
      this.#waiting.clear();
    };
  }

  async send({ signal, ...request }: HttpRequest): Promise<HttpResult> {
    if (signal?.aborted) return NOT_SENT;
    const id = ++this.#last;
    const giveUp = () => this.#tell({ id, request: null });
    const answer = new Promise<HttpResult>((resolve) => this.#waiting.set(id, resolve));
    this.#tell({ id, request });
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      return await answer;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  #tell(message: Message): void {
    this.#worker.postMessage(message);
  }
}

const FORGONE: HttpResult = {
  answered: false,
  failure: "not_allowed",
  reason: "This program has given up the network",
};

/**
 * Requests to the server of `origin`, a URL, and to no other; none at all with null. With the first request, or when
 * it is forgone, this process loses the network for good, but for the worker that has that one server. At once it
 * loses what loads code of others.
 */
export function confinedHttp(origin: string | null): Http {
  // Nothing here loads code of others, in whatever language.
  for (const name of ["ffi", "import"] as const) Deno.permissions.revokeSync({ name });
  let messenger: Messenger | null = null;
  let open = true;
  const close = () => {
    open = false;
    Deno.permissions.revokeSync({ name: "net" });
  };
  return {
    async send(request) {
      if (open && origin !== null) {
        pastProxies(origin);
        messenger = new Messenger(hostOf(origin));
      }
      if (open) close();
      return await messenger?.send(request) ?? FORGONE;
    },
    forgo() {
      if (open) close();
    },
  };
}
