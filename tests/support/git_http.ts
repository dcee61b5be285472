/**
 * Serves bare repositories over HTTP on this machine, by git's own `http-backend`, and may take only so many requests.
 *
 * @module
 */

/** How much a server takes. */
export interface HttpLimit {
  /** Whether a request is one too many; they are counted from 1. */
  readonly isTooOften: (count: number) => boolean;
  /** What it asks for who comes too often, as the header `Retry-After` has it; null for no such header. */
  readonly retryAfter: string | null;
}

/** Takes so many requests in a second; that many may come at once as well. */
export function perSecond(most: number): HttpLimit["isTooOften"] {
  let tokens = most;
  let at = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(most, tokens + (now - at) / 1_000 * most);
    at = now;
    if (tokens < 1) return true;
    tokens--;
    return false;
  };
}

/** Served repositories; dispose of it when the test ends. */
export class GitHttp implements AsyncDisposable {
  /** How often it was asked, and how often it refused. */
  asked = 0;
  refused = 0;
  /** The most requests it had to answer at the same time. */
  most = 0;
  /** What it takes; it may be changed while it serves. */
  limit: HttpLimit | null;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #directory: string;
  #now = 0;

  /** Serves the repositories of a directory. */
  constructor(directory: string, limit: HttpLimit | null = null) {
    this.#directory = directory;
    this.limit = limit;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  /** The address of a repository. */
  url(name: string): string {
    return `http://127.0.0.1:${this.#server.addr.port}/${name}.git`;
  }

  async #answer(request: Request): Promise<Response> {
    this.asked++;
    if (this.limit?.isTooOften(this.asked)) {
      this.refused++;
      const wait = this.limit.retryAfter;
      const headers: Record<string, string> = wait === null ? {} : { "Retry-After": wait };
      return new Response("asked too often\n", { status: 429, headers });
    }
    this.most = Math.max(this.most, ++this.#now);
    try {
      return await this.#backend(request);
    } finally {
      this.#now--;
    }
  }

  /** Asks git, which speaks CGI. */
  async #backend(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const { headers } = request;
    const child = new Deno.Command("git", {
      args: ["http-backend"],
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_PROJECT_ROOT: this.#directory,
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: headers.get("content-type") ?? "",
        HTTP_CONTENT_ENCODING: headers.get("content-encoding") ?? "",
        GIT_PROTOCOL: headers.get("git-protocol") ?? "",
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new Uint8Array(await request.arrayBuffer()));
    await writer.close();
    const { stdout } = await child.output();
    const head = new TextDecoder("latin1").decode(stdout.subarray(0, 8_192)).split("\r\n\r\n")[0];
    const answered = new Headers();
    for (const line of (head ?? "").split("\r\n")) {
      const [, name, value] = /^([^:]+): *(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) answered.set(name, value);
    }
    const status = Number.parseInt(answered.get("status") ?? "200", 10);
    answered.delete("status");
    return new Response(stdout.subarray((head ?? "").length + 4), { status, headers: answered });
  }

  /** Stops serving. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
