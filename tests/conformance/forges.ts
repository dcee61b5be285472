/**
 * A second judge of the double of GitHub: `npm:emulate`, which others have made. What the port asks is asked of both, and
 * their answers are compared: statuses, and that each member of the double's is one of the judge's, of the same type.
 * `deno task conformance:forges`; npm has to be reachable.
 *
 * The judge has no git behind it, refuses no second pull request, and knows neither queues nor statuses of commits; where
 * the two differ for such a reason, it says so in `KNOWN`. Anything else is a failure.
 *
 * @module
 */

import { GitHub } from "../../src/forge/github.ts";
import type { ForgeAnswer, ForgeRequest, ForgeTransport } from "../../src/forge/port.ts";
import { Rest } from "../../src/forge/answers.ts";
import { beginTicket, forgeWorld } from "../support/forge/world.ts";

/** The judge, named so that nobody but this task needs it. */
const JUDGE = "npm:emulate@0.12.2";
const KEY = "a-key-of-nothing";
/** The key of who reviews. */
const OTHER = "another-key-of-nothing";
const HEAD = "feature/P-1";

/** Why answers differ, by the call. */
const KNOWN: Readonly<Record<string, string>> = {
  "GET commits/SHA/status": "the judge has no statuses of commits",
  "POST pulls again": "the judge refuses no second pull request",
  "GET rules/branches/main": "the judge has no rules of branches",
  "POST pulls/1/requested_reviewers": "the judge answers 200 where GitHub answers 201",
  "PUT pulls/1/merge of another commit": "the judge answers 422 where GitHub answers 409",
};

interface Heard {
  readonly call: string;
  readonly answer: ForgeAnswer;
}

/** A way to a forge at an address; what is answered is noted. */
class Way implements ForgeTransport {
  readonly heard: Heard[] = [];
  /** What the next calls are called beside their paths. */
  about = "";
  readonly #root: string;
  readonly #key: string;

  constructor(root: string, key = KEY) {
    this.#root = root;
    this.#key = key;
  }

  async call({ method, path, body }: ForgeRequest): Promise<ForgeAnswer> {
    const response = await fetch(`${this.#root}/${path}`, {
      method,
      headers: { authorization: `token ${this.#key}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: new Map(response.headers),
      body: text === "" ? null : JSON.parse(text),
    };
    const place = path.replace(/^repos\/shop\/lib\//, "").replace(/\?.*/, "")
      .replace(/[0-9a-f]{40}/, "SHA");
    this.heard.push({ call: `${method} ${place}${this.about}`, answer });
    return answer;
  }
}

/** Asks whatever the port asks of GitHub, in the life of one pull request. */
async function live(
  way: Way,
  /** Lets a check pass and somebody approve. */
  approve: (head: string) => Promise<void> | void,
): Promise<readonly Heard[]> {
  const slug = { host: "github.com", site: "https://github.com", owner: "shop", name: "lib" };
  const forge = new GitHub(new Rest(slug, way));
  const wish = { head: HEAD, base: "main", title: "P-1: one", body: "Two", draft: false };
  await forge.find(HEAD, "main");
  const made = await forge.create(wish);
  way.about = " again";
  await forge.create(wish).catch(() => {});
  way.about = "";
  const found = await forge.find(HEAD, "main");
  if (found === null) throw new Error("What was opened is not found");
  await forge.invite(made, { labels: ["team"], reviewers: ["ada"] });
  await approve(found.head.sha);
  const { change, checks, review } = await forge.standing(made);
  if (checks.total !== 1 || review.approvals !== 1) {
    throw new Error(`It is not seen: ${JSON.stringify([checks, review])}`);
  }
  await forge.edit(change, { title: "P-1: other", body: "Three" });
  await forge.queues("main");
  const how = { method: "merge", queue: false } as const;
  way.about = " of another commit";
  await forge.merge(change, { ...how, sha: "1".repeat(40) });
  way.about = "";
  await forge.merge(change, { ...how, sha: change.head.sha });
  await forge.read(made.number);
  return way.heard;
}

/** The members of the double's answer that the judge's lacks, or has of another type. */
function differences(own: unknown, judge: unknown, at = "answer"): string[] {
  // What there is none of in one of both, in a state that only it knows, says nothing.
  if (own === null || judge === null) return [];
  if (Array.isArray(own)) {
    if (!Array.isArray(judge)) return [`${at} is no list`];
    if (own.length === 0 || judge.length === 0) return [];
    return differences(own[0], judge[0], `${at}[]`);
  }
  if (typeof own !== typeof judge) return [`${at} is of another type: ${typeof judge}`];
  if (typeof own !== "object" || typeof judge !== "object") return [];
  const members = judge as Record<string, unknown>;
  return Object.entries(own).flatMap(([name, value]) =>
    Object.hasOwn(members, name)
      ? differences(value, members[name], `${at}.${name}`)
      : [`${at}.${name} is unknown`]
  );
}

/** The judge with a repository that has the branches in question. */
async function judged(): Promise<readonly Heard[]> {
  const { createEmulator } = await import(JUDGE);
  const judge = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      tokens: {
        [KEY]: { login: "shop", scopes: ["repo"] },
        [OTHER]: { login: "ada", scopes: ["repo"] },
      },
      github: {
        users: [{ login: "shop" }, { login: "ada" }],
        repos: [{ owner: "shop", name: "lib", auto_init: true }],
      },
    },
  });
  try {
    const way = new Way(judge.url);
    const ask = async (method: "GET" | "POST", path: string, body = {}) =>
      (await way.call({
        method,
        path: `repos/shop/lib/${path}`,
        ...(method === "GET" ? {} : { body }),
      })).body as { sha: string; object: { sha: string } };
    const tip = (await ask("GET", "git/ref/heads/main")).object.sha;
    const file = { path: "a.txt", mode: "100644", type: "blob", content: "a\n" };
    const tree = await ask("POST", "git/trees", { tree: [file] });
    const commit = await ask("POST", "git/commits", {
      message: "one",
      tree: tree.sha,
      parents: [tip],
    });
    await ask("POST", "git/refs", { ref: `refs/heads/${HEAD}`, sha: commit.sha });
    way.heard.length = 0;
    return await live(way, async (head) => {
      const by = new Way(judge.url, OTHER);
      const path = "repos/shop/lib";
      const check = { name: "ci", head_sha: head, status: "completed", conclusion: "success" };
      await by.call({ method: "POST", path: `${path}/check-runs`, body: check });
      const review = { event: "APPROVE", commit_id: head };
      await by.call({ method: "POST", path: `${path}/pulls/1/reviews`, body: review });
    });
  } finally {
    await judge.close();
  }
}

async function doubled(): Promise<readonly Heard[]> {
  await using at = await forgeWorld("github", ["lib"]);
  await beginTicket(at.world, "P-1", ["lib"]);
  const pushed = await at.world.amof(["push", "--yes"]);
  if (pushed.code !== 0) throw new Error(pushed.stderr);
  return await live(new Way(`http://127.0.0.1:${at.forge.port}`), (head) => {
    at.forge.checks.set(head, [{ name: "ci", state: "success" }]);
    at.forge.find("lib", 1)?.reviews.push({ user: "ada", state: "APPROVED", sha: head });
  });
}

const [own, judge] = [await doubled(), [...await judged()]];
let failed = 0;
for (const { call, answer } of own) {
  // Some calls are made at once, and come in any order.
  const at = judge.findIndex((one) => one.call === call);
  const [other] = at < 0 ? [] : judge.splice(at, 1);
  if (other === undefined) throw new Error(`The judge was not asked: ${call}`);
  const found = [
    ...(answer.status === other.answer.status
      ? []
      : [`it answers ${other.answer.status}, the double ${answer.status}`]),
    ...(answer.status < 300 && other.answer.status < 300
      ? differences(answer.body, other.answer.body)
      : []),
  ];
  const known = KNOWN[call];
  const isFine = found.length === 0 || known !== undefined;
  if (!isFine) failed++;
  const said = found.length === 0 ? "the same" : `${known ?? found.join("; ")}`;
  await Deno.stdout.write(new TextEncoder().encode(`${isFine ? "✓" : "✗"} ${call}: ${said}\n`));
}
Deno.exit(failed === 0 ? 0 : 1);
