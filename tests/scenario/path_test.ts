/**
 * `amof path`, `amof open` and `amof shell-init`, from outside.
 *
 * @module
 */

import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { program, World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";

/** A world whose manifest says where `api` has its page. */
async function webWorld(): Promise<World> {
  const world = await World.installed({ repos: ["api", "web"] });
  const file = "control/ecosystems/demo/ecosystem.yaml";
  const text = await Deno.readTextFile(join(world.directory, file));
  await world.write(
    file,
    text.replace(world.url("api"), "ssh://git:hunter2@github.com/shop/api.git"),
  );
  return world;
}

Deno.test("amof path prints a directory and nothing else", async () => {
  await using world = await webWorld();
  const api = await world.amof(["path", "api"], { cwd: world.clone("web") });
  assertEquals([api.code, api.stdout, api.stderr], [0, `${world.clone("api")}\n`, ""]);
  const workspace = await world.amof(["path"]);
  assertEquals([workspace.stdout, workspace.stderr], [`${world.workspace()}\n`, ""]);
  assertObjectMatch((await world.amof(["path", "api", "--json"])).json(), {
    repo: "api",
    directory: world.clone("api"),
    url: "ssh://***@github.com/shop/api.git",
    web: "https://github.com/shop/api",
  });
  await Deno.remove(world.clone("web"), { recursive: true });
  for (const [repo, code] of [["web", 2], ["wbe", 2], ["api,web", 2]] as const) {
    const ran = await world.amof(["path", repo]);
    assertEquals([ran.code, ran.stdout], [code, ""], ran.stderr);
  }
});

Deno.test({
  name: "amof open hands one argument to the editor, the browser or the file manager",
  ignore: !POSIX,
  async fn() {
    await using world = await webWorld();
    const told = join(world.directory, "told");
    for (const name of ["xdg-open", "open", "my-editor"]) {
      await world.script(`bin/${name}`, `printf '%s|' "\${0##*/}" "$@" > '${told}'`);
    }
    const env = {
      PATH: `${join(world.directory, "bin")}:${world.env["PATH"] ?? ""}`,
      EDITOR: "my-editor --wait",
    };
    const opener = Deno.build.os === "darwin" ? "open" : "xdg-open";
    const cases = [
      [["api"], `my-editor|--wait|${world.clone("api")}|`],
      [[], `my-editor|--wait|${world.workspace()}|`],
      [["api", "--web"], `${opener}|https://github.com/shop/api|`],
      [["api", "--path"], `${opener}|${world.clone("api")}|`],
    ] as const;
    for (const [args, expected] of cases) {
      const ran = await world.amof(["open", ...args], { env });
      assertEquals([ran.code, ran.stdout, ran.stderr], [0, "", ""]);
      assertEquals(await Deno.readTextFile(told), expected);
    }
    await Deno.remove(told);
    const printed = await world.amof(["open", "api", "--web", "--print"], { env });
    assertEquals(printed.stdout, "https://github.com/shop/api\n");
    // The remote of web is a directory, which has no page.
    for (const args of [["web", "--web"], ["--web"], ["api", "--web", "--path"]]) {
      assertEquals((await world.amof(["open", ...args], { env })).code, 2);
    }
    assertEquals(await world.exists(told), false);
    // What could not be opened says what to do about it.
    const gone = await world.amof(["open", "api"], { env: { ...env, EDITOR: "no-editor" } });
    assertStringIncludes(gone.stderr, ": the editor could not be started");
    assertStringIncludes(gone.stderr, "amof config set editor 'code --wait'");
    await world.script(`bin/${opener}`, "exit 3");
    const failed = await world.amof(["open", "api", "--web"], { env });
    assertStringIncludes(failed.stderr, `${opener} ended with 3`);
    assertStringIncludes(failed.stderr, "see what: amof open api --web --print");
    // Nobody named an editor, and without a terminal the usual one would wait for ever.
    await world.script("bin/vi", `echo vi > '${told}'`);
    const usual = await world.amof(["open", "api"], {
      env: { ...env, EDITOR: "", VISUAL: "", TERM: "xterm" },
    });
    assertEquals(usual.code, 2, usual.stderr);
    assertStringIncludes(usual.stderr, "Cannot open an editor: none is named");
    assertEquals(await world.exists(told), false);
  },
});

Deno.test({
  name: "acd goes to a repository in every shell that is installed",
  ignore: !POSIX,
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const quoted = program().map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    await world.script("bin/amof", `exec ${quoted.join(" ")} "$@"`);
    const env = { PATH: `${join(world.directory, "bin")}:${world.env["PATH"] ?? ""}` };
    const load = 'eval "$(amof shell-init SHELL)"';
    const walk = "acd api; pwd; acd nowhere -q || echo stayed; pwd; acd; pwd";
    const shells = [
      ["bash", ["--norc", "-c", `${load}; ${walk}`]],
      // Completion is registered where it can be, and its absence is no error.
      ["zsh", ["-f", "-c", `${load}; ${walk}`]],
      ["zsh", ["-f", "-c", `autoload -U compinit; compinit -D; ${load}; ${walk}`]],
      ["fish", ["-N", "-c", `amof shell-init SHELL | source; ${walk}`]],
    ] as const;
    for (const [shell, args] of shells) {
      const found = await world.command("sh", ["-c", `command -v ${shell}`]);
      if (found.code !== 0) continue;
      const ran = await world.command(shell, args.map((arg) => arg.replace("SHELL", shell)), {
        env,
      });
      const foreign = ran.stderr.split("\n").filter((line) => !/^(?:error|hint): |^$/.test(line));
      assertEquals([ran.stdout.split("\n"), foreign], [
        [world.clone("api"), "stayed", world.clone("api"), world.workspace(), ""],
        [],
      ], shell);
    }
    const typed = "COMP_WORDS=(acd w) COMP_CWORD=1 COMP_LINE='acd w' COMP_POINT=5";
    const ask = `${typed}; _amof acd w ''; echo "\${COMPREPLY[@]}"; complete -p acd`;
    const completed = await world.command("bash", [
      "--norc",
      "-c",
      `eval "$(amof shell-init bash)"; ${ask}`,
    ], { env });
    assertEquals(completed.stdout, "web\ncomplete -F _amof acd\n");
  },
});
