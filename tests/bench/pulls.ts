/**
 * The pull requests of a ticket at a forge on this machine, against the same reads by the user's own program in parallel.
 *
 * @module
 */

import { join } from "@std/path";
import { beginTicket, forgeWorld, hasProgram } from "../support/forge/world.ts";
import { add, inTurns } from "./measure.ts";
import { reposOf } from "./reading.ts";

/** So many questions one host gets at once. */
const AT_ONCE = 8;
const TURNS = 5;

/** Measures `pr status`, by the real gh where it is installed, else by a stand-in. */
export async function pullRequests(binary: string, count: number): Promise<void> {
  const real = await hasProgram("gh");
  const repos = reposOf(count);
  await using at = await forgeWorld("github", repos, "", { real });
  const { world, forge } = at;
  await beginTicket(world, "P-1", repos);
  await world.command(binary, ["-e", "demo", "pr", "open", "--yes"]);
  const status = () => world.command(binary, ["-e", "demo", "pr", "status", "--json"]);
  const reads: string[] = [];
  forge.before = ({ path, query }) => {
    reads.push(query.size === 0 ? path : `${path}?${query}`);
    return null;
  };
  await status();
  forge.before = () => null;
  await world.write("reads", `${reads.join("\n")}\n`);
  const api = "gh api --hostname github.com --include --method GET";
  const file = join(world.directory, "reads");
  const [floor = NaN, figure = NaN] = await inTurns(
    TURNS,
    () => world.command("sh", ["-c", `xargs -P ${AT_ONCE} -n 1 ${api} < '${file}' > /dev/null`]),
    status,
  );
  const program = real ? "gh api" : "a stand-in of gh api";
  add(`amof pr status, ${count} repos, floor: the ${reads.length} reads by ${program} and xargs`, {
    floor,
    figure,
    budget: "≤ 1.2 ×",
  });
}
