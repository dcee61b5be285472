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
import { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";
import type { Report } from "./report.ts";

const ECOSYSTEMS: Readonly<Record<string, readonly string[]>> = {
  demo: ["api", "web"],
  shop: ["core", "desk"],
};

/** Refusals that a caller has earned, or that say plainly that another one is at work. */
const OWN_REASONS = new Set([
  "approval_pending",
  "archive_not_found",
  "check_failed",
  "confirmation_invalid",
  "confirmation_stale",
  "ecosystem_busy",
  "ecosystem_exists",
  "partial_failure",
  "commit_refused",
  "push_refused",
  "release_blocked",
  "repo_dirty",
  "repo_diverged",
  "repo_in_progress",
  "run_not_found",
  "ticket_exists",
  "ticket_not_found",
  "workspace_exists",
  "workspace_not_installed",
  "would_lose_work",
]);

/** Causes that belong to another caller, whatever the code says. */
const NOT_OWN = /\.lock\b|cannot lock ref|another git process|\.tmp\b|File exists/i;

/** A call of a tool, with the words that make it on the command line. */
interface Choice {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

type Make = (random: Random, ecosystem: string, serial: number) => Choice;

/** An example of a call; how often it is chosen follows from how often it stands here. */
function choice(
  tool: string,
  words: readonly string[],
  args: Readonly<Record<string, unknown>> = {},
): Choice {
  return { tool, words, args };
}

const ticket = (random: Random) => `T-${1 + random.below(3)}`;

const CHOICES: readonly Make[] = [
  () => choice("amof_get_ecosystem_status", ["status"]),
  () => choice("amof_get_ecosystem_status", ["status"]),
  () => choice("amof_list_ecosystems", ["ecosystem", "list"]),
  () => choice("amof_describe_ecosystem", ["ecosystem", "describe"]),
  () => choice("amof_ticket_list", ["ticket", "list"]),
  () => choice("amof_list_runs", ["runs", "list"]),
  () => choice("amof_get_active_runs", ["runs", "active"]),
  () => choice("amof_install_ecosystem", ["install", "--yes"]),
  () => choice("amof_sync_ecosystem", ["sync"]),
  () => choice("amof_sync_ecosystem", ["sync"]),
  () => choice("amof_push_ecosystem", ["push", "--yes"]),
  () =>
    choice("amof_push_ecosystem", ["push", "--commit", "-m", "All", "--yes"], {
      commit: true,
      message: "All",
    }),
  (random) => {
    const id = ticket(random);
    return choice("amof_ticket_start", ["ticket", "start", id, "--stash"], {
      ticket_id: id,
      stash: true,
    });
  },
  (random) => {
    const id = random.below(2) === 0 ? "main" : ticket(random);
    return choice("amof_ticket_switch", ["ticket", "switch", id, "--stash"], {
      ticket_id: id,
      stash: true,
    });
  },
  (random) => {
    const id = ticket(random);
    return choice("amof_ticket_switch", ["ticket", "switch", id, "--stash"], {
      ticket_id: id,
      stash: true,
    });
  },
  (random) => {
    const id = ticket(random);
    return choice("amof_ticket_end", ["ticket", "end", id, "--yes"], { ticket_id: id });
  },
  () => choice("amof_archive_ecosystem", ["archive", "--yes"]),
  () => choice("amof_restore_archive", ["archive", "restore", "--yes"]),
  () => choice("amof_doctor", ["doctor", "--repair"]),
  (_random, _ecosystem, serial) =>
    choice("amof_create_journal", ["journal", "add", `Note ${serial}`, "--body", "Text"], {
      title: `Note ${serial}`,
      body: "Text",
    }),
  (_random, _ecosystem, serial) =>
    choice(
      "amof_create_ecosystem",
      [
        "ecosystem",
        "create",
        `made-${serial}`,
        "--repo",
        "x=https://example.invalid/x.git@main",
        "--commit",
      ],
      {
        name: `made-${serial}`,
        repos: ["x=https://example.invalid/x.git@main"],
        commit: true,
      },
    ),
];

/** Tools that are about the control repository and take no ecosystem. */
const WITHOUT_ECOSYSTEM = new Set([
  "amof_create_ecosystem",
  "amof_get_active_runs",
  "amof_list_ecosystems",
]);

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
