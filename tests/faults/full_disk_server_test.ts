// The disk of control repository and state is full while a server works on a run: the server lives on, and so would the
// run and its locks.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows, until } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { APART, canMount } from "../support/mounts.ts";
import { World } from "../support/world.ts";

/** Starts a server for which control repository and state lie on a small disk, freed once somebody says so. */
const SCRIPT = `
set -u
small=$WORLD/small
mkdir -p "$small"
mount -t tmpfs -o size=60m none "$small" || exit 99
for part in control state; do
  cp -a "$WORLD/$part" "$small/$part"
  mount --bind "$small/$part" "$WORLD/$part"
done
until_there() {
  turns=0
  while [ ! -e "$1" ] && [ $turns -lt 600 ]; do sleep 0.1; turns=$((turns + 1)); done
}
(
  until_there "$WORLD/free"
  rm "$small/fill"
  until_there "$WORLD/look"
  cp -a "$WORLD/state" "$WORLD/copying" && mv "$WORLD/copying" "$WORLD/seen"
) >/dev/null 2>&1 &
exec "$@"
`;

Deno.test({
  name:
    "a run whose end finds no space ends when there is some, in the server that goes on, and frees its locks",
  ignore: !await canMount(),
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const fill = join(world.directory, "small/fill");
    // No byte is left before the first branch is made.
    const path = await world.wrapGit(
      `case " $* " in *" switch "*) dd if=/dev/zero of="${fill}" bs=4k 2>/dev/null;; esac`,
    );
    const env = { WORLD: world.directory, ...path };
    await using client = new McpClient(world, ["--mode", "execute", "-e", "demo"], env, {
      under: ["unshare", ...APART, "sh", "-c", SCRIPT, "sh"],
    });
    await client.initialize();
    const started = await client.call("amof_ticket_start", { ticket_id: "T-1" });
    assertEquals(started.data["error"], "file_failed", started.text);
    assertStringIncludes(started.text, "the disk is full");
    await world.command("rm", [join(world.directory, "bin/git")]);
    await Deno.writeTextFile(join(world.directory, "free"), "");
    const of = await until("the run has ended", async () => {
      const { data } = await client.call("amof_list_runs");
      const run = rows(data, "runs").find(({ action }) => action === "ticket_start");
      return run !== undefined && run["finished_at"] !== null && run;
    });
    assertEquals(of["status"], "failed");
    const again = await client.call("amof_ticket_start", { ticket_id: "T-1" });
    assert(!again.isError, again.text);
    await Deno.writeTextFile(join(world.directory, "look"), "");
    const seen = join(world.directory, "seen");
    await until("the state is copied", () => Deno.stat(seen).then(() => true, () => false));
    const audit = await world.amof(["audit", "--json"], { env: { AMOF_HOME: seen } });
    assertEquals(
      rows(audit.json(), "entries").slice(0, 2).map(({ tool, outcome }) => [tool, outcome]),
      [["amof_ticket_start", "ok"], ["amof_ticket_start", "file_failed"]],
    );
  },
});
