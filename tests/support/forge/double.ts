// A forge over the bare repositories of a world: pull requests in memory, commits as they lie there, read at each
// question. Merging is done by git, so that what is landed can be looked at. How a kind of forge speaks of it stands in
// github.ts, gitlab.ts and gitea.ts.

import { join } from "@std/path";

/** A pull request. */
export interface Pull {
  readonly number: number;
  readonly repo: string;
  readonly head: string;
  readonly base: string;
  title: string;
  body: string;
  draft: boolean;
  state: "open" | "merged" | "closed";
  /** The commits at the moment it was merged or closed. */
  frozen: { head: string; base: string } | null;
  merge: string | null;
  labels: string[];
  reviewers: string[];
  reviews: { user: string; state: string; sha: string }[];
}

/** One call as tests count them: `POST repos/shop/api/pulls`. */
export interface ForgeCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

/** An answer of the double. */
export interface DoubleAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** How a kind of forge answers a call; null for what it does not have. */
export type Dialect = (double: Double, call: ForgeCall) => Promise<DoubleAnswer | null>;

/** What marks an answer, as Rails and GitHub make it. */
async function markOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `W/"${new Uint8Array(hash).toHex()}"`;
}

/** The forge. */
export class Double implements AsyncDisposable {
  readonly pulls: Pull[] = [];
  readonly calls: string[] = [];
  /** The reads of which the answer was at hand already. */
  readonly unchanged: string[] = [];
  /** What programs say of commits. */
  readonly checks = new Map<string, { name: string; state: "success" | "failure" | "pending" }[]>();
  /** Branches that take pull requests only in a queue. */
  readonly queued = new Set<string>();
  /** Branches that nobody may merge into. */
  readonly locked = new Set<string>();
  /** Answers instead of the forge, before or after it did its work. */
  before: (call: ForgeCall) => DoubleAnswer | null = () => null;
  after: (call: ForgeCall, answer: DoubleAnswer) => DoubleAnswer = (_, answer) => answer;
  readonly #remotes: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #socket: Deno.HttpServer<Deno.UnixAddr> | null;

  constructor(
    remotes: string,
    dialect: Dialect,
    { root, socket }: { readonly root: string; readonly socket?: string },
  ) {
    this.#remotes = remotes;
    const serve = (request: Request) => this.#serve(request, dialect, root);
    const onListen = () => {};
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, serve);
    this.#socket = socket === undefined ? null : Deno.serve({ path: socket, onListen }, serve);
  }

  get port(): number {
    return this.#server.addr.port;
  }

  async #serve(request: Request, dialect: Dialect, root: string): Promise<Response> {
    const url = new URL(request.url);
    const text = await request.text();
    const call: ForgeCall = {
      method: request.method,
      path: url.pathname.slice(root.length),
      query: url.searchParams,
      body: text === "" ? {} : JSON.parse(text),
    };
    this.calls.push(`${call.method} ${call.path}`);
    const early = this.before(call);
    const found = early ?? await dialect(this, call) ??
      { status: 404, body: { message: "Not Found" } };
    const { status, body, headers = {} } = early ?? this.after(call, found);
    const said = body === undefined ? null : JSON.stringify(body);
    const etag = await markOf(said ?? "");
    const isRead = call.method === "GET" && status === 200;
    if (isRead && request.headers.get("if-none-match") === etag) {
      this.unchanged.push(call.path);
      return new Response(null, { status: 304, headers: { etag, ...headers } });
    }
    return new Response(said, {
      status,
      headers: {
        "content-type": "application/json",
        ...(isRead ? { etag } : {}),
        ...headers,
      },
    });
  }

  /** Runs git in a bare repository; null where it fails. */
  async git(repo: string, ...args: string[]): Promise<string | null> {
    const { success, stdout } = await new Deno.Command("git", {
      args: ["-C", join(this.#remotes, `${repo}.git`), ...args],
      env: {
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_AUTHOR_NAME: "Forge",
        GIT_AUTHOR_EMAIL: "forge@example.invalid",
        GIT_COMMITTER_NAME: "Forge",
        GIT_COMMITTER_EMAIL: "forge@example.invalid",
      },
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : null;
  }

  tip(repo: string, branch: string): Promise<string | null> {
    return this.git(repo, "rev-parse", "--verify", "--quiet", `refs/heads/${branch}`);
  }

  /** The commits a pull request is about. */
  async tips(pull: Pull): Promise<{ head: string; base: string }> {
    if (pull.frozen !== null) return pull.frozen;
    return {
      head: await this.tip(pull.repo, pull.head) ?? "",
      base: await this.tip(pull.repo, pull.base) ?? "",
    };
  }

  find(repo: string, number: number): Pull | undefined {
    return this.pulls.find((pull) => pull.repo === repo && pull.number === number);
  }

  /** Makes a pull request; a word why not. */
  async create(
    repo: string,
    wish: Pick<Pull, "head" | "base" | "title" | "body" | "draft">,
  ): Promise<Pull | "exists" | "no commits"> {
    const known = this.pulls.some((pull) =>
      pull.repo === repo && pull.state === "open" && pull.head === wish.head &&
      pull.base === wish.base
    );
    if (known) return "exists";
    const [head, base] = [await this.tip(repo, wish.head), await this.tip(repo, wish.base)];
    if (head === null || base === null || head === base) return "no commits";
    const pull: Pull = {
      ...wish,
      repo,
      number: this.pulls.filter((one) => one.repo === repo).length + 1,
      state: "open",
      frozen: null,
      merge: null,
      labels: [],
      reviewers: [],
      reviews: [],
    };
    this.pulls.push(pull);
    return pull;
  }

  /** The tree that a merge comes to; null for a conflict. */
  async mergedTree(pull: Pull): Promise<string | null> {
    const { head, base } = await this.tips(pull);
    const found = await this.git(pull.repo, "merge-tree", "--write-tree", base, head);
    return found?.split("\n")[0] ?? null;
  }

  /** The last of the commits of a pull request, each made anew upon the base branch; null for a conflict. */
  async #rebased(
    repo: string,
    { head, base }: { head: string; base: string },
  ): Promise<string | null> {
    const directory = await Deno.makeTempDir();
    try {
      const at = join(directory, "rebased");
      const git = (...args: string[]) => this.git(repo, "-C", at, ...args);
      await this.git(repo, "worktree", "add", "--quiet", "--detach", at, head);
      if (await git("rebase", "--quiet", "--force-rebase", base) === null) return null;
      return await git("rev-parse", "HEAD");
    } finally {
      await Deno.remove(directory, { recursive: true });
      await this.git(repo, "worktree", "prune");
    }
  }

  /** Merges exactly a commit. */
  async merge(
    pull: Pull,
    sha: string,
    method: string,
  ): Promise<"merged" | "moved" | "conflict" | "locked" | "not open"> {
    if (pull.state !== "open" || pull.draft) return "not open";
    const tips = await this.tips(pull);
    if (sha !== tips.head) return "moved";
    if (this.locked.has(pull.base)) return "locked";
    const tree = await this.mergedTree(pull);
    if (tree === null) return "conflict";
    const parents = method === "merge" ? ["-p", tips.base, "-p", tips.head] : ["-p", tips.base];
    const made = method === "rebase"
      ? await this.#rebased(pull.repo, tips)
      : await this.git(pull.repo, "commit-tree", tree, ...parents, "-m", pull.title);
    if (made === null) return "conflict";
    const ref = `refs/heads/${pull.base}`;
    if (await this.git(pull.repo, "update-ref", ref, made, tips.base) === null) return "conflict";
    pull.frozen = tips;
    pull.state = "merged";
    pull.merge = made;
    return "merged";
  }

  async close(pull: Pull): Promise<void> {
    pull.frozen = await this.tips(pull);
    pull.state = "closed";
  }

  /** How many calls there were of a kind: `count("POST", /pulls$/)`. */
  count(method: string, path: RegExp): number {
    return this.calls.filter((call) => {
      const [said = "", where = ""] = call.split(" ");
      return said === method && path.test(where);
    }).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await this.#socket?.shutdown();
  }
}
