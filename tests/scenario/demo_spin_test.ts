/**
 * `amof demo --of spin`: what it shows, and the two provisioners it writes, which are of use beyond it.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

/** A program named docker that writes down how it was called; `docker info` succeeds only with an engine. */
const DOCKER = [
  'echo "$*" >> "$FAKE_LOG"',
  'case "$1" in info) [ -n "$FAKE_ENGINE" ] ;; esac',
].join("\n");

Deno.test({
  name:
    "amof demo --of spin makes an environment and removes it, and leaves provisioners that work",
  ignore: Deno.build.os === "windows", // shell scripts
  async fn(t) {
    await using world = await World.make();
    const sandbox = join(world.directory, "sandbox");
    const shown = await world.amof(["demo", "--of", "spin", sandbox]);
    assertEquals(shown.code, 0, shown.stderr);
    for (const said of ["Approved provisioner local", "Deployed shop", "Destroyed shop"]) {
      assertStringIncludes(shown.stdout, said);
    }
    const home = join(sandbox, "home");
    const base = { AMOF_HOME: home, AMOF_ROOT: join(sandbox, "control") };
    const amof = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
      world.amof(args, { cwd: sandbox, env: { ...base, ...env } });

    await t.step("local deploys once, notices a dead server, and ends only its own", async () => {
      const deploy = async () => {
        const ran = await amof(["-e", "shop", "spin", "deploy", "--yes", "--verbose"]);
        assertEquals(ran.code, 0, ran.stderr);
        const found = / at (http:\/\/127\.0\.0\.1:\d+) as process (\d+)/.exec(ran.stderr);
        assert(found !== null, ran.stderr);
        return { url: found[1] ?? "", pid: Number(found[2]), log: ran.stderr };
      };
      const destroy = async () => {
        const ran = await amof(["-e", "shop", "spin", "destroy", "--confirm-name", "shop", "-v"]);
        assertEquals(ran.code, 0, ran.stderr);
        return ran.stderr;
      };
      const first = await deploy();
      try {
        assertEquals(await (await fetch(`${first.url}/health`)).text(), "ok\n");
        assertEquals(await (await fetch(first.url)).text(), "This is shop\n");
        const again = await deploy();
        assertMatch(again.log, /runs already/);
        assertEquals([again.url, again.pid], [first.url, first.pid]);
        Deno.kill(first.pid, "SIGKILL");
        const second = await deploy();
        assert(second.pid !== first.pid);
        assertEquals(await (await fetch(`${second.url}/health`)).text(), "ok\n");
        assertMatch(await destroy(), new RegExp(`Stopped process ${second.pid}`));
        await assertRejects(() => fetch(second.url));
        assertMatch(await destroy(), /does not run/);
      } finally {
        await destroy();
      }
      // The number in its file belongs to somebody else by now: that process is left alone.
      const other = world.spawn("sleep", ["60"]);
      const status = await amof(["-e", "shop", "spin", "status", "--json"]);
      assertEquals(pick(status.json(), "environment", "state"), "destroyed");
      const states = join(home, "share", "environments");
      const [key] = await Array.fromAsync(Deno.readDir(states));
      const file = join(states, key?.name ?? "", "shop", "server.pid");
      await Deno.writeTextFile(file, `${other.pid}\nMon Jan 2 03:04:05 2006\n`);
      assertMatch(await destroy(), /does not run/);
      Deno.kill(other.pid, "SIGKILL");
    });

    await t.step(
      "compose refuses clearly without an engine, and calls it where one answers",
      async () => {
        await world.script("bin/docker", DOCKER);
        const log = join(world.directory, "docker.log");
        const env = {
          PATH: `${join(world.directory, "bin")}:${world.env["PATH"] ?? ""}`,
          FAKE_LOG: log,
          FAKE_ENGINE: "",
        };
        const control = join(sandbox, "control");
        const manifest = join(control, "ecosystems", "stage", "ecosystem.yaml");
        const text = await Deno.readTextFile(manifest);
        await Deno.writeTextFile(
          manifest,
          text.replace("[DOCKER_HOST", "[FAKE_LOG, FAKE_ENGINE, DOCKER_HOST"),
        );
        const planned = await amof(["-e", "stage", "spin", "trust", "--dry-run", "--json"], env);
        const hash = String(pick(planned.json(), "preview", "hash"));
        assertEquals(
          (await amof(["-e", "stage", "spin", "trust", "--hash", hash, "--yes"])).code,
          0,
        );
        const without = await amof(["-e", "stage", "spin", "deploy", "--yes", "--json"], env);
        assertEquals([without.code, pick(without.json(), "details", "exit_code")], [69, 69]);
        assertEquals(pick(without.json(), "details", "log_tail"), [
          "Cannot deploy stage: no container engine answers; start it, or name another one in DOCKER_HOST",
        ]);

        await Deno.remove(log);
        const engine = { ...env, FAKE_ENGINE: "yes, here" };
        assertEquals((await amof(["-e", "stage", "spin", "deploy", "--yes"], engine)).code, 0);
        const gone = ["-e", "stage", "spin", "destroy", "--confirm-name", "stage"];
        assertEquals((await amof(gone, engine)).code, 0);
        const calls = (await Deno.readTextFile(log)).trim().split("\n");
        const compose = calls.filter((line) => line.startsWith("compose --ansi"));
        const directory = join(control, "ecosystems", "stage");
        for (const line of compose) {
          assertStringIncludes(line, `--project-name amof-stage --project-directory ${directory} `);
        }
        assertEquals(
          compose.map((line) => line.replace(/^.*compose\.yaml /, "")),
          [
            "up --detach --wait --wait-timeout 300 --remove-orphans",
            "ps",
            "down --volumes --remove-orphans",
          ],
        );
      },
    );
  },
});
