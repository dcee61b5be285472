/**
 * What agentpack deploys, and whether the real host has it: in what it lists, in what it sends to its model, in the
 * server that it starts and the hook that it runs.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { outputTable } from "../../src/apps/agentpack/mod.ts";
import type { Listing } from "./hosts.ts";
import { AMOF, HostPlace, isConnected, run } from "./place.ts";

/** What is deployed, by type: the file of its module, and the text by which it is known. */
const ASSETS: Readonly<Record<string, readonly [file: string, text: string, known: string]>> = {
  instructions: ["AGENTS.md", "The word of the day is quokka-one.\n", "quokka-one"],
  skill: [
    "SKILL.md",
    "---\nname: quokka-two\ndescription: Counts quokkas\n---\n\nCount them.\n",
    "quokka-two",
  ],
  prompt: [
    "quokka-three.md",
    "---\ndescription: Feeds quokkas\n---\n\nFeed them.\n",
    "quokka-three",
  ],
  command: [
    "quokka-four.md",
    "---\ndescription: Calls quokkas\n---\n\nCall them by their name, wombat-four.\n",
    // A host that is asked by its name may hand that on; then only the text says that it is known.
    "(?<!/)quokka-four|wombat-four",
  ],
  subagent: [
    "quokka-five.md",
    "---\nname: quokka-five\ndescription: Minds quokkas\n---\n\nMind them.\n",
    "quokka-five",
  ],
  mcp_server: ["server.json", "", ""],
  hook: ["hook.json", "", ""],
};

/** The options of the other ways in which a target can write the same. */
const OTHER_WAYS = new Set(["write_claude_md", "write_user_prompts", "write_agents_skills"]);

/** What a target writes in a scope: the options that switch it, by type. */
function written(target: string, scope: string): Map<string, string> {
  return new Map(
    outputTable().filter((row) =>
      row.target === target && row.scope === scope && row.option !== null &&
      !OTHER_WAYS.has(row.option)
    ).map(({ type, option }) => [type, option ?? ""]),
  );
}

/** Writes a config repo that deploys every type to one target, in one scope. */
async function configure(place: HostPlace, target: string, scope: string): Promise<string> {
  const repo = join(dirname(place.home), "config");
  const texts: Readonly<Record<string, string>> = {
    mcp_server: JSON.stringify({
      command: place.server,
      args: ["mcp", "serve", "--read-only", "--root", place.project],
    }),
    hook: JSON.stringify({
      hooks: [{ event: "session_start", command: `echo seen >>'${place.hook}'` }],
    }),
  };
  const modules: object[] = [];
  for (const [type, [file, text]] of Object.entries(ASSETS)) {
    const path = join(repo, type, file);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, texts[type] ?? text);
    const source = { local_path: { path: type } };
    modules.push({ id: `${type}:quokka`, type, tags: ["all"], source });
  }
  const options = Object.fromEntries(
    [...written(target, scope).values()].map((name) => [name, true]),
  );
  const config = {
    version: 1,
    profiles: { default: { include_tags: ["all"] } },
    targets: { [target]: { mode: "files", scope, options } },
    modules,
  };
  await Deno.writeTextFile(join(repo, "agentpack.yaml"), JSON.stringify(config));
  return repo;
}

/** The columns of the table. */
export const SEEN_HEAD: readonly string[] = [
  ...["host", "version", "target", "scope"],
  ...Object.keys(ASSETS),
];

/** Deploys to a host and asks it; answers its row of the table and what it said, null where nothing is for that scope. */
export async function look(
  listing: Listing,
  scope: "user" | "project",
  { version, model }: {
    readonly version: string;
    readonly model: { readonly url: string; readonly told: () => string };
  },
): Promise<{ readonly row: string[]; readonly printed: string } | null> {
  const types = written(listing.target, scope);
  if (types.size === 0) return null;
  await using place = await HostPlace.make(listing, model.url);
  const within = { cwd: place.project, env: place.env };
  await run(["git", "init", "-q"], within);
  await run([AMOF, "ecosystem", "create", "demo", "--yes"], within);
  const repo = await configure(place, listing.target, scope);
  const deploy = ["deploy", "--apply", "--yes", "--project-root", place.project];
  let printed = await run([AMOF, "agentpack", "--repo", repo, ...deploy], within);
  await place.listen();
  model.told();
  let said = "";
  for (const ask of listing.asks) said += await place.start(ask);
  said += model.told();
  printed += said;
  const ran = await Deno.readTextFile(place.hook).then(() => true, () => false);
  const started = isConnected(await place.heard());
  const isSeen = (type: string, known: string) =>
    type === "hook" ? ran : type === "mcp_server" ? started : new RegExp(known).test(said);
  const cells = Object.entries(ASSETS).map(([type, [, , known]]) =>
    !types.has(type) || listing.others?.includes(type) ? "" : isSeen(type, known) ? "yes" : "no"
  );
  return { row: [listing.host, version, listing.target, scope, ...cells], printed };
}
