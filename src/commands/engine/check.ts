/** `amof engine check`: which engines there are, and whether they work here (ENGINE-6). */

import { query } from "../../contract/mod.ts";
import { AmofError, toAmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { blocks } from "../../base/text/parts.ts";
import { table } from "../../base/text/table.ts";
import { count, duration } from "../../base/text/words.ts";
import { engineNames, engineOf, type Profile, profileOf } from "../../engine/mod.ts";

interface EngineRow {
  readonly name: string;
  readonly kind: string;
  readonly usable: boolean;
  /** What is there, or null where it could not be asked. */
  readonly found: string | null;
  /** The largest number of shards; null where it could not be asked. */
  readonly shards: number | null;
  readonly parallel: number;
  readonly shard_time_s: number;
  readonly problems: readonly { readonly message: string; readonly fix: string }[];
}

async function look(system: System, profile: Profile): Promise<EngineRow> {
  const { name, kind, parallel, seconds } = profile;
  const facts = { name, kind, parallel, shard_time_s: seconds };
  try {
    const { found, shards, problems } = await engineOf(system, kind).probe(profile);
    return { ...facts, usable: problems.length === 0, found, shards, problems };
  } catch (thrown) {
    const error = toAmofError(thrown, () => system.ids.hex(8));
    if (error.code !== "engine_unavailable") throw thrown;
    const problem = { message: error.message, fix: fixOf(profile) };
    return { ...facts, usable: false, found: null, shards: null, problems: [problem] };
  }
}

function fixOf({ name }: Profile): string {
  return `Run this where its programs are and its cluster answers, or change engines.${name} in the user file: amof config edit`;
}

/** What is missing of an engine, and below each what to do about it. */
function problemLines({ name, problems }: EngineRow): readonly string[] {
  return problems.flatMap(({ message, fix }) => [`✗ ${name}: ${message}`, `  ${fix}`]);
}

/** The command. */
export const engineCheck = query({
  name: "amof_check_engines",
  path: ["engine", "check"],
  toolset: "exec",
  mcp: "asked for",
  scope: "global",
  needs: "nothing",
  openWorld: true,
  next: [],
  title: "Check engines",
  summary: "Which engines work can be given to, and whether they work here.",
  description:
    "The engine local is always there: processes of this machine. A person describes others below engines in the user file. Work goes to an engine only where --engine or --shards is given.",
  positionals: ["engine"],
  examples: ["engine check", "engine check local"],
  input: (z) => ({ engine: z.string().optional().describe("Only this one") }),
  async run(ctx, { engine }) {
    const names = engine === undefined ? engineNames(ctx.settings) : [engine];
    const profiles = names.map((name) => profileOf(ctx.settings, name));
    const engines = await Promise.all(profiles.map((profile) => look(ctx.system, profile)));
    const data = { engines };
    const bad = engines.filter(({ usable }) => !usable);
    const [first] = bad;
    if (first === undefined) return { data };
    return {
      data,
      failure: new AmofError(
        "check_failed",
        `${count(bad.length, "engine")} cannot be used: ${bad.map(({ name }) => name).join(", ")}`,
        {
          hint: first.problems[0]?.fix ?? fixOf(profileOf(ctx.settings, first.name)),
          details: { engines: bad.map(({ name, problems }) => ({ name, problems })) },
        },
      ),
    };
  },
  render: ({ engines }) => ({
    summary: `Looked at ${count(engines.length, "engine")}.`,
    details: blocks(
      table(
        ["engine", "kind", "state", "at once", "shard time", { name: "found", prose: true }],
        engines.map((row) => [
          row.name,
          row.kind,
          row.usable ? "OK" : "ERROR",
          row.parallel,
          duration(row.shard_time_s),
          row.found,
        ]),
      ),
      engines.flatMap(problemLines),
    ),
  }),
});
