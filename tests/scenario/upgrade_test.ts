/**
 * `amof upgrade`: which programs are asked, in which order, and that nothing else happens.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { VERSION } from "../../src/base/version.ts";
import { World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";

/** What stand-ins answer; one that is null is not there. */
interface Answers {
  readonly gh?: string | null;
  readonly npm?: string | null;
  /** The tags that git shows; null where there is no network. */
  readonly git?: readonly string[] | null;
}

/** A place where only these programs are found besides the usual ones, each of which notes that it was asked. */
async function placed(
  world: World,
  { gh = null, npm = null, git = null }: Answers,
): Promise<Record<string, string>> {
  const log = join(world.directory, "asked.txt");
  await Deno.writeTextFile(log, "");
  const noting = (name: string) => `echo "${name} $*" >> '${log}'`;
  const shown = (git ?? []).map((tag, index) =>
    `printf '%040d\\trefs/tags/${tag}\\n' ${index + 1}`
  );
  const { PATH = "" } = await world.wrapGit(
    [
      'case " $* " in *" ls-remote "*)',
      noting("git"),
      ...(git === null
        ? ['echo "fatal: could not resolve host" >&2', "exit 128"]
        : [...shown, "exit 0"]),
      ";; esac",
    ].join("\n"),
  );
  for (const [name, answer] of [["gh", gh], ["npm", npm]] as const) {
    // One that fails is found before one that may be on this machine.
    const does = answer === null ? 'echo "no sign-in" >&2; exit 4' : `echo '${answer}'`;
    await world.script(`bin/${name}`, `#!/bin/sh\n${noting(name)}\n${does}`);
  }
  return { PATH };
}

/** Who was asked, in order. */
async function asked(world: World): Promise<string[]> {
  const text = await Deno.readTextFile(join(world.directory, "asked.txt"));
  return text.trim().split("\n").filter((line) => line !== "").map((line) =>
    line.split(" ")[0] ?? ""
  );
}

async function upgrade(
  answers: Answers,
  args: readonly string[] = [],
  more: Record<string, string> = {},
) {
  await using world = await World.make();
  const env = { ...await placed(world, answers), ...more };
  const before = await world.contents(world.env["HOME"] ?? "");
  const ran = await world.amof(["upgrade", "--json", ...args], { env, apart: true });
  assertEquals(await world.contents(world.env["HOME"] ?? ""), before);
  return { ran, answer: ran.json(), asked: await asked(world) };
}

Deno.test({
  name: "amof upgrade asks gh, then git, then npm, and takes the first answer",
  ignore: !POSIX,
  async fn() {
    const first = await upgrade({ gh: "v99.1.0", npm: "98.0.0", git: ["v97.0.0"] });
    assertEquals(first.asked, ["gh"]);
    assertEquals(first.ran.code, 0);
    assertEquals(pick(first.answer, "newest"), "99.1.0");
    assertEquals(pick(first.answer, "newer"), true);
    const second = await upgrade({
      npm: "98.0.0",
      git: ["v97.9.0", "v97.10.0", "v98.0.0-rc.1", "x"],
    });
    assertEquals(second.asked, ["gh", "git"]);
    // By number and not by text, and none before its release.
    assertEquals(pick(second.answer, "newest"), "97.10.0");
    const third = await upgrade({ npm: "98.0.0" });
    assertEquals(third.asked, ["gh", "git", "npm"]);
    assertEquals(pick(third.answer, "asked"), "npm");
  },
});

Deno.test({
  name: "amof upgrade asks npm first where npm brought it, and only the one that is named",
  ignore: !POSIX,
  async fn() {
    const npm = await upgrade({ gh: "v99.1.0", npm: "98.0.0" }, [], { AMOF_DISTRIBUTION: "npm" });
    assertEquals(npm.asked, ["npm"]);
    assertEquals(pick(npm.answer, "how"), "npm install --global amof@latest");
    const git = await upgrade({ gh: "v99.1.0", git: ["v0.0.1"] }, ["--ask", "git"]);
    assertEquals(git.asked, ["git"]);
    assertEquals(pick(git.answer, "newer"), false);
    assertEquals(pick(git.answer, "how"), null);
  },
});

Deno.test({
  name:
    "amof upgrade --check ends with 3 where there is a newer version, and with 0 where there is none",
  ignore: !POSIX,
  async fn() {
    const newer = await upgrade({ gh: "v99.1.0" }, ["--check"]);
    assertEquals(newer.ran.code, 3);
    assertEquals(pick(newer.answer, "error"), "check_failed");
    assertEquals(pick(newer.answer, "newest"), "99.1.0");
    const same = await upgrade({ gh: `v${VERSION}` }, ["--check"]);
    assertEquals(same.ran.code, 0);
    assertMatch(String(pick(same.answer, "summary")), /nothing newer/);
  },
});

Deno.test({
  name:
    "amof upgrade says what everybody said where nobody knows, and takes no nonsense for a version",
  ignore: !POSIX,
  async fn() {
    const nobody = await upgrade({ npm: "<html>" });
    assertEquals(nobody.ran.code, 1);
    assertEquals(pick(nobody.answer, "error"), "remote_unreachable");
    // What programs print themselves is in the details alone.
    assertMatch(
      String(pick(nobody.answer, "message")),
      /^Cannot tell whether there is a newer version: gh and git got no answer; npm said no version$/,
    );
    assertStringIncludes(String(pick(nobody.answer, "details", "problems", "gh")), "no sign-in");
  },
});
