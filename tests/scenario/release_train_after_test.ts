// A train that waits for the pull requests of a ticket.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { rows } from "../support/answers.ts";
import { beginTicket, forgeWorld } from "../support/forge/world.ts";
import type { World } from "../support/world.ts";

const TRAIN = ["release", "train", "bump", "patch", "--initial", "0.1.0", "--after", "P-1"];

async function must(world: World, ...args: readonly string[]): Promise<void> {
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stderr}`);
}

Deno.test("a train goes when all pull requests of its ticket have landed, and not before", async () => {
  await using at = await forgeWorld("github", ["lib", "api"]);
  const { world, forge } = at;
  const refused = async (expected: string[][]) => {
    const ran = await world.amof([...TRAIN, "--yes", "--json"]);
    assertEquals(ran.code, 1, ran.stdout);
    const problems = rows(ran.json(), "problems").filter(({ gate }) => gate === "landed");
    assertEquals(problems.map(({ repo, message }) => [repo, message]), expected);
    assertStringIncludes(String(problems[0]?.["fix"]), "amof pr status P-1");
  };
  await refused([["control", "No pull request of P-1 has landed"]]);
  await beginTicket(world, "P-1", ["lib", "api"]);
  await must(world, "pr", "open", "--yes");
  await must(world, "ticket", "switch", "main");
  await refused([
    ["lib", "#1 of P-1 has not landed"],
    ["api", "#1 of P-1 has not landed"],
  ]);
  const lib = forge.find("lib", 1);
  const head = await forge.tip("lib", "feature/P-1") ?? "";
  if (lib !== undefined) await forge.merge(lib, head, "squash");
  forge.before = ({ path }) => /shop\/lib/.test(path) ? { status: 502, body: {} } : null;
  await refused([
    [
      "lib",
      "Cannot read pull requests in shop/lib of github.com: the forge has an error of its own, 502",
    ],
    ["api", "#1 of P-1 has not landed"],
  ]);
  forge.before = () => null;
  await must(world, "pr", "land", "P-1", "--resume", "--confirm-name", "P-1");
  await must(world, "sync");
  await must(world, ...TRAIN, "--yes");
  assertEquals(await forge.git("api", "tag"), "v0.1.0");
});
