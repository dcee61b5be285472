/**
 * `amof upgrade`: whether there is a newer version, and how to get it. It never upgrades anything (UPGRADE-2), and
 * only the command line has it (UPGRADE-3).
 */

import { program } from "../../../pipeline/line/program.ts";
import { AmofError } from "../../../base/error.ts";
import type { System } from "../../../base/system/mod.ts";
import { REPOSITORY, VERSION } from "../../../base/version.ts";
import { answerWith } from "../answer.ts";
import { ASKED, isNewer, newestRelease, orderFor } from "../newest_release.ts";

/** What upgrades a program, by where it lies; npm says itself that it brought it. */
const WAYS: readonly (readonly [place: RegExp, how: string])[] = [
  [/[\\/]Cellar[\\/]|[\\/](?:home|linux)brew[\\/]/i, "brew upgrade amof"],
  [/[\\/]scoop[\\/]/i, "scoop update amof"],
  [/^\/usr\/bin\//, "install the .deb of the release"],
];

/** Whether npm brought it: it says so, or put the program where it puts packages. */
function isOfNpm({ env, processes }: System): boolean {
  const [path = "", ...more] = processes.self();
  return env.get("AMOF_DISTRIBUTION") === "npm" ||
    (more.length === 0 && /[\\/]node_modules[\\/]/.test(path));
}

/** How this program is upgraded, in words to type where there are any. */
function wayFor(system: System): string {
  if (isOfNpm(system)) return "npm install --global amof@latest";
  const { env, processes } = system;
  const [path = "", ...more] = processes.self();
  if (more.length > 0) return "git pull, in the clone that it runs from";
  const known = WAYS.find(([place]) => place.test(path))?.[1];
  return known ??
    (env.platform === "windows"
      ? "unpack the zip of the release over it"
      : "run install.sh of the release again");
}

/** `amof upgrade`. */
export const upgradeProgram = program({
  path: ["upgrade"],
  lenient: true,
  answers: true,
  summary: "Tell whether there is a newer version and how to get it; nothing is upgraded.",
  description:
    "Asks a program of yours, and reaches out to nobody itself: gh, git or npm, first npm where that brought amof. With --check a newer version is exit code 3.",
  examples: ["upgrade --check", "upgrade --check --json", "upgrade --ask git"],
  input: (z) =>
    z.strictObject({
      check: z.boolean().default(false).describe("Exit with 3 where there is a newer version"),
      ask: z.enum(ASKED).optional().describe("Ask this program and no other"),
    }),
  async main(ctx, { check, ask }) {
    const { system } = ctx.app;
    const order = ask === undefined ? orderFor(isOfNpm(system)) : [ask];
    const newest = await newestRelease(system, order);
    const newer = isNewer(newest.version, VERSION);
    const page = `https://github.com/${REPOSITORY}/releases/tag/v${newest.version}`;
    const how = newer ? wayFor(system) : null;
    const found = `Found version ${newest.version}; this is ${VERSION}`;
    return answerWith(ctx, {
      summary: newer ? `${found}.` : `This is ${VERSION}, and nothing newer is there.`,
      details: how === null ? [] : [`To upgrade: ${how}`, `What is new: ${page}`],
      data: { version: VERSION, newest: newest.version, newer, asked: newest.asked, how, page },
      failure: newer && check
        ? new AmofError("check_failed", found, { hint: `To upgrade: ${how}` })
        : undefined,
    });
  },
});
