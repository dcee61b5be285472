/**
 * `amof ticket env`, read by real shells.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** Shells with the flag that says whose words they read, and how they read a file. */
const SHELLS = [
  { program: "sh", form: "sh", read: "." },
  { program: "dash", form: "sh", read: "." },
  { program: "bash", form: "sh", read: "." },
  { program: "zsh", form: "sh", read: "." },
  { program: "fish", form: "fish", read: "source" },
] as const;

/** What a shell could take for something of its own. */
const NASTY = `it's $HOME "q" \`touch x\` \\ & ; # * \n e`;

Deno.test({
  name: "what amof ticket env prints is read to the letter by every shell there is",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    await makeTicket(world, "T-1");
    const root = join(world.directory, NASTY);
    await Deno.rename(world.control, root);
    const ask = (...args: string[]) =>
      world.amof(["--root", root, "-e", "demo", "ticket", "env", "T-1", ...args], {
        cwd: world.directory,
      });
    const { env } = (await ask("--json=env")).json() as { env: Record<string, string> };
    const variables = Object.entries(env).filter(([name]) => name !== "AMOF_TICKET_DIR");
    assertEquals(Object.keys(env).length, 7);
    const read: string[] = [];
    for (const { program, form, read: word } of SHELLS) {
      const found = await world.command("sh", ["-c", `command -v ${program}`]);
      if (found.code !== 0) continue;
      const printed = await ask("--shell", form);
      assertEquals(printed.code, 0, printed.stderr);
      const file = join(world.directory, `variables.${program}`);
      await Deno.writeTextFile(file, printed.stdout);
      const names = variables.map(([name]) => name);
      const script = `${word} '${file}'; ${
        names.map((name) => `printf '%s\\0' "$${name}"`).join("; ")
      }`;
      const ran = await world.command(found.stdout.trim(), ["-c", script]);
      assertEquals(
        ran.stdout.split("\0").slice(0, -1),
        variables.map(([, value]) => value),
        program,
      );
      read.push(program);
    }
    assert(read.includes("sh"));
    assertEquals(await world.exists("x"), false, "a shell ran what stood in a value");
  },
});
