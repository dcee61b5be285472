// One suite for each kind of forge, with the real program that amof asks it through, where that is installed: gh behind a
// Unix socket, glab and curl over loopback.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import {
  beginTicket,
  commitIn,
  forgeWorld,
  hasProgram,
  type Kind,
} from "../support/forge/world.ts";
import type { World } from "../support/world.ts";

const PROGRAMS: readonly (readonly [string, Kind, string])[] = [
  ["gh", "github", "gh auth login --hostname github.com"],
  ["glab", "gitlab", "glab auth login --hostname gitlab.com"],
  ["curl", "gitea", "git ls-remote http://127.0.0.1"],
];

async function must(world: World, ...args: readonly string[]): Promise<unknown> {
  const ran = await world.amof([...args, "--json"]);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}`);
  return ran.json();
}

for (const [program, kind, signIn] of PROGRAMS) {
  const ignore = Deno.build.os === "windows" || !await hasProgram(program);
  const review = "review: {labels: [team], reviewers: [ada]}\n";

  Deno.test({
    name: `the real ${program} opens, shows, updates, lands and takes back the pull requests`,
    ignore,
    async fn() {
      await using at = await forgeWorld(kind, ["lib", "api", "web"], review, { real: true });
      const { world, forge } = at;
      await beginTicket(world, "P-1", ["lib", "api", "web"]);
      await must(world, "pr", "open", "--yes");
      assertEquals(forge.pulls.map(({ labels }) => labels), [["team"], ["team"], ["team"]]);
      assertEquals(forge.pulls.map(({ reviewers }) => reviewers.length), [1, 1, 1]);
      const seen = await must(world, "pr", "status");
      assertEquals(pick(seen, "change_set", "state"), "ready", JSON.stringify(seen));
      await must(world, "pr", "update", "--draft", "--yes");
      assertEquals(forge.pulls.map(({ draft }) => draft), [true, true, true]);
      await must(world, "pr", "update", "--ready", "--yes");
      // Behind the preview a check of the second fails: the first has landed, the third is not tried.
      const head = await world.git(world.clone("api"), "rev-parse", "HEAD");
      forge.after = (call, answer) => {
        if (/merge$/.test(call.path)) forge.checks.set(head, [{ name: "ci", state: "failure" }]);
        return answer;
      };
      const stopped = await world.amof(["pr", "land", "P-1", "--confirm-name", "P-1", "--json"]);
      assertEquals(stopped.code, 5, stopped.stdout);
      const states = ["lib", "api", "web"].map((repo) => forge.find(repo, 1)?.state);
      assertEquals(states, ["merged", "open", "open"]);
      forge.after = (_, answer) => answer;
      forge.checks.clear();
      await must(world, "pr", "land", "P-1", "--resume", "--confirm-name", "P-1");
      await must(world, "pr", "revert", "P-1", "--yes");
      assertEquals(forge.pulls.length, 6);
    },
  });

  Deno.test({
    name: `the real ${program} tells what a forge refuses, whatever its own exit code is`,
    ignore,
    async fn() {
      await using at = await forgeWorld(kind, ["lib"], "", { real: true });
      const { world, forge } = at;
      await beginTicket(world, "P-1", ["lib"]);
      const refused = async (status: number, words: string, headers = {}) => {
        forge.before = () => ({ status, body: { message: "no\u001b[2Jway" }, headers });
        const ran = await world.amof(["pr", "status"]);
        assert(ran.code !== 0, ran.stdout);
        assertStringIncludes(ran.stderr, words);
        assert(!ran.stderr.includes("\u001b[2J"));
      };
      await refused(401, signIn);
      await refused(404, "or you have no right to see it");
      await refused(502, "the forge has an error of its own, 502");
      await refused(429, "takes no more questions for 15 min", { "retry-after": "900" });
    },
  });

  Deno.test({
    name: `the real ${program} asks again only for what is new`,
    ignore,
    async fn() {
      await using at = await forgeWorld(kind, ["lib"], "", { real: true });
      const { world, forge } = at;
      await beginTicket(world, "P-1", ["lib"]);
      await must(world, "pr", "open", "--yes");
      await using client = new McpClient(world, ["--ecosystem", "demo", "--toolsets", "all"]);
      await client.initialize();
      const look = async (): Promise<unknown> => {
        forge.unchanged.length = 0;
        forge.calls.length = 0;
        const answer = await client.call("amof_pr_status");
        assert(!answer.isError, answer.text);
        return answer.data["repos"];
      };
      const first = await look();
      assertEquals(forge.unchanged, []);
      assertEquals(await look(), first);
      assertEquals(forge.unchanged.length, forge.calls.length);
      await commitIn(world, "lib", "lib learns more");
      await must(world, "pr", "update", "--yes");
      const later = await look();
      assert(forge.unchanged.length < forge.calls.length);
      assertEquals(
        pick(later, 0, "head"),
        await world.git(world.clone("lib"), "rev-parse", "HEAD"),
      );
    },
  });
}

Deno.test({
  name: "a gh that is not signed in is told with the command that signs in",
  ignore: Deno.build.os === "windows" || !await hasProgram("gh"),
  async fn() {
    await using at = await forgeWorld("github", ["lib"], "", { real: true });
    const { world } = at;
    await beginTicket(world, "P-1", ["lib"]);
    delete world.env["GH_TOKEN"];
    const refused = await world.amof(["pr", "open", "--yes"]);
    assertEquals(refused.code, 1, refused.stdout);
    assertStringIncludes(refused.stderr, "gh auth login --hostname github.com");
  },
});
