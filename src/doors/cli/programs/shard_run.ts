/** `amof shard run`: one shard of a plan, started by an engine (SHARD-1). */

import { program } from "../../../pipeline/line/program.ts";

/** `amof shard run`. */
export const shardRun = program({
  path: ["shard", "run"],
  hidden: true,
  lenient: true,
  summary: "Work on one shard of a plan; started by an engine.",
  examples: [],
  input: (z) => ({
    run: z.uuid().describe("The run"),
    plan: z.string().min(1).describe("The file of the plan"),
    sha256: z.string().regex(/^[0-9a-f]{64}$/).describe("The hash of the plan"),
    key: z.string().regex(/^[0-9a-f]{64}$/).describe(
      "The fingerprint of the key of its signature",
    ),
    index: z.int().min(0).describe("Which shard"),
    of: z.int().min(1).describe("How many shards there are"),
    begun: z.int().min(1).optional().describe("How often this shard was begun; 1"),
    attempts: z.int().min(1).optional().describe("How often it may be begun; 1"),
    results: z.string().optional().describe("The directory that its lines go to as well"),
    summary: z.string().optional().describe("The file that its end is written into"),
    scratch: z.string().optional().describe("The directory in which clones are made"),
    mirrors: z.string().optional().describe("The directory of this node's mirrors"),
  }),
  async main({ app }, { begun, attempts, results, summary, scratch, mirrors, ...call }) {
    const { runShard } = await import("../../../engine/mod.ts");
    const shard = {
      ...call,
      start: begun ?? 1,
      attempts: attempts ?? 1,
      results: results ?? null,
      summary: summary ?? null,
      scratch: scratch ?? null,
      mirrors: mirrors ?? null,
    };
    // Loaded only by plans whose changes leave the shard.
    return await runShard(app.system, shard, async (changes, noTouch) => {
      const { heldBack } = await import("../../../commands/outgoing/contents.ts");
      return await heldBack(changes, noTouch);
    });
  },
});
