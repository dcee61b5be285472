/**
 * Two servers and a person work on two ecosystems at the same time. No call may fail for a reason that is not its own,
 * and nothing that the person made may be gone in the end.
 *
 * @module
 */

import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { type Choice, CHOICES, NOT_OWN, OWN_REASONS, WITHOUT_ECOSYSTEM } from "./choices.ts";
import { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";
import type { Report } from "./report.ts";

const ECOSYSTEMS: Readonly<Record<string, readonly string[]>> = {
  demo: ["api", "web"],
  shop: ["core", "desk"],
};

/** An answer, whichever door gave it. */
interface Answer {
  readonly code: string;
  readonly text: string;
}

/** Somebody who makes calls. */
interface Caller {
  readonly name: string;
  readonly call: (choice: Choice, ecosystem: string) => Promise<Answer>;
  readonly offers: (choice: Choice) => boolean;
}

function server(name: string, client: McpClient, tools: ReadonlySet<string>): Caller {
  return {
    name,
    offers: ({ tool }) => tools.has(tool),
    async call({ tool, args }, ecosystem) {
      const where = WITHOUT_ECOSYSTEM.has(tool) ? {} : { ecosystem };
      let answer = await client.call(tool, { ...args, ...where, mode: "execute" });
      if (answer.data["error"] === "confirmation_required") {
        const token = String(pick(answer.data, "confirmation", "token"));
        answer = await client.call("amof_confirm", { token, mode: "execute" });
      }
      const run = answer.data["run_id"];
      if (answer.isError || answer.data["status"] !== "queued" || typeof run !== "string") {
        return { code: String(answer.data["error"] ?? "ok"), text: JSON.stringify(answer.data) };
      }
      const ended = await client.finished(run);
      return {
        code: String(pick(ended, "run_error", "error") ?? "ok"),
        text: JSON.stringify(ended),
      };
    },
  };
}

function commandLine(name: string, world: World): Caller {
  return {
    name,
    offers: () => true,
    async call({ words }, ecosystem) {
      const ran = await world.amof(["-e", ecosystem, ...words, "--json"]);
      try {
        return { code: String(ran.json()["error"] ?? "ok"), text: ran.stdout };
      } catch {
        return { code: `no JSON, exit ${ran.code}`, text: ran.stdout + ran.stderr };
      }
    },
  };
}

/** What is wrong with an answer; null when the call failed for its own reasons, or not at all. */
function complaint(world: World, { code, text }: Answer): string | null {
  const home = world.env["AMOF_HOME"] ?? "";
  if (text.includes(home)) return `names a private path: ${around(text, home)}`;
  if (code === "ok") return null;
  // The person committed in the middle of a change of the same clone: nothing was done, and that is said.
  if (code === "repo_changed") return null;
  if (!OWN_REASONS.has(code) || NOT_OWN.test(text)) return `${code}: ${text.slice(0, 900)}`;
  return null;
}

function around(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 200), at + 200);
}

/** Makes a world with both ecosystems installed. */
async function bothInstalled(): Promise<World> {
  const world = await World.make();
  await world.makeControl();
  for (const [name, repos] of Object.entries(ECOSYSTEMS)) await world.addEcosystem(name, { repos });
  // As two people would: at the same time.
  await Promise.all(Object.keys(ECOSYSTEMS).map((name) => world.install(name)));
  return world;
}

async function hidden(world: World): Promise<string[]> {
  const text = await Deno.readTextFile(join(world.control, ".git", "info", "exclude"));
  return Object.keys(ECOSYSTEMS).filter((name) => !text.includes(`/worktrees/${name}/`))
    .map((name) => `The workspace of ${name} is not hidden from the control repository`);
}

/** Lets three callers make `most` calls together. */
export async function callers(random: Random, most: number, report: Report): Promise<void> {
  await using world = await bothInstalled();
  report.note("installing two ecosystems at once", await hidden(world));
  await using first = new McpClient(world, ["--toolsets", "all", "--mode", "execute"]);
  await using second = new McpClient(world, ["--toolsets", "all", "--mode", "execute"]);
  const clients = [first, second];
  const tools = new Set<string>();
  for (const client of clients) {
    await client.initialize();
    const listed = await client.request("tools/list", {});
    for (const tool of pick(listed, "result", "tools") as { name: string }[]) tools.add(tool.name);
  }
  const ledger = new Ledger(world, ECOSYSTEMS);
  const everybody = [
    ...clients.map((client, index) => server(`server ${index + 1}`, client, tools)),
    commandLine("person", world),
  ];
  let left = most;
  let serial = 0;
  await Promise.all(everybody.map(async (caller) => {
    const chance = random.fork();
    while (left-- > 0) {
      const number = ++serial;
      const ecosystem = chance.one(Object.keys(ECOSYSTEMS));
      const chosen = chance.one(CHOICES)(chance, ecosystem, number);
      if (!caller.offers(chosen)) {
        left++;
        continue;
      }
      if (caller.name === "person" && chance.below(2) === 0) await ledger.work(chance);
      const answer = await caller.call(chosen, ecosystem)
        .catch((error: unknown): Answer => ({ code: "broken", text: String(error) }));
      report.count("calls");
      report.count(`answered ${answer.code}`);
      const wrong = complaint(world, answer);
      report.note(
        `call ${number}, ${caller.name}, ${ecosystem}: ${chosen.words.join(" ")}`,
        wrong === null ? [] : [wrong],
      );
    }
  }));
  for (const ecosystem of Object.keys(ECOSYSTEMS)) {
    const repair = await world.amof(["-e", ecosystem, "doctor", "--repair", "--json"]);
    report.note(
      `repair of ${ecosystem} in the end`,
      repair.code === 0 ? [] : [`answers ${repair.code}: ${repair.stdout.slice(0, 900)}`],
    );
  }
  report.note("what the person made", await ledger.missing());
  for (const [what, number] of ledger.made()) {
    for (let index = 0; index < number; index++) report.count(what);
  }
}
