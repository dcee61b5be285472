/**
 * `amof upgrade`: whether there is a newer version, and how to get it. It never upgrades anything (UPGRADE-2), and
 * only the command line has it (UPGRADE-3).
 */

import { compare, format, tryParse } from "@std/semver";

import { program } from "../../../pipeline/line/program.ts";
import { AmofError } from "../../../base/error.ts";
import type { System } from "../../../base/system/mod.ts";
import { REPOSITORY, VERSION } from "../../../base/version.ts";
import { answerWith } from "../answer.ts";
import { Git, tail } from "../../../git/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { list } from "../../../base/text/words.ts";

// Which version of amof was released last, as a program of the user's says (UPGRADE-1). Nothing here reaches out itself.

/** Who can be asked. */
const ASKED = ["gh", "npm", "git"] as const;

/** One of {@linkcode ASKED}. */
type Asked = typeof ASKED[number];

interface Newest {
  /** Without a `v`. */
  readonly version: string;
  readonly asked: Asked;
}

/** What is wrong with one that was asked; what it said itself is for who looks closer. */
type Problem = "is not installed" | "got no answer" | "said no version" | "saw no release";

/** An answer, or why there is none. */
type Reply = { readonly version: string } | {
  readonly problem: Problem;
  readonly said?: string;
};

/** How long one of them may take. */
const PATIENCE_MS = 20_000;

/** In which order they are asked: first whoever brought the program here. */
function orderFor(ofNpm: boolean): readonly Asked[] {
  return ofNpm ? ["npm", "gh", "git"] : ["gh", "git", "npm"];
}

/** The version that a text is, with or without a `v`; null for anything else. */
function versionIn(text: string): string | null {
  const parsed = tryParse(text.trim().replace(/^v/, ""));
  return parsed === undefined ? null : format(parsed);
}

/** Whether one version comes behind another; false where one of them is none. */
function isNewer(version: string, than: string): boolean {
  const [one, other] = [tryParse(version), tryParse(than)];
  return one !== undefined && other !== undefined && compare(one, other) > 0;
}

/** The highest version of tags by full name that is not one before a release; null without any. */
function highest(refs: Iterable<string>): string | null {
  const versions = [...refs].flatMap((ref) => {
    const parsed = tryParse(/^refs\/tags\/v(.+)$/.exec(ref)?.[1] ?? "");
    return parsed === undefined || (parsed.prerelease?.length ?? 0) > 0 ? [] : [parsed];
  }).sort(compare);
  const last = versions.at(-1);
  return last === undefined ? null : format(last);
}

/** Asks a program for one line: the version. */
async function askProgram(
  { env, processes }: System,
  vector: readonly [string, ...string[]],
): Promise<Reply> {
  const [command, ...args] = vector;
  const result = await processes.run({
    command,
    args,
    // The configuration of the current directory must not decide which remotes and registries are asked.
    cwd: env.home ?? env.cwd,
    env: { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" },
    timeoutMs: PATIENCE_MS,
  });
  if (result.startError !== null) return { problem: "is not installed" };
  const version = versionIn(result.stdout);
  if (result.exitCode === 0) return version === null ? { problem: "said no version" } : { version };
  // Which of the lines of a program tells the reason, nobody knows.
  return { problem: "got no answer", said: cleanLine(tail(result.stderr).join("; "), 300) };
}

async function askGit(system: System): Promise<Reply> {
  const git = new Git(system).at(system.env.home ?? system.env.cwd);
  try {
    const refs = await git.remoteRefs.branchesAndTags(`https://github.com/${REPOSITORY}.git`);
    const version = highest(refs.keys());
    return version === null ? { problem: "saw no release" } : { version };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return { problem: "got no answer", said: cleanLine(error.message, 300) };
  }
}

function ask(system: System, whom: Asked): Promise<Reply> {
  if (whom === "git") return askGit(system);
  if (whom === "gh") {
    const fields = ["--json", "tagName", "--jq", ".tagName"];
    return askProgram(system, ["gh", "release", "view", "--repo", REPOSITORY, ...fields]);
  }
  const words = ["npm", "view", "amof", "version"] as const;
  // On Windows npm is a script, which only the shell starts.
  return askProgram(system, system.env.platform === "windows" ? ["cmd", "/c", ...words] : words);
}

/** What came of all that were asked, those alike together. */
function outcomeText(problems: readonly (readonly [Asked, Problem])[]): string {
  const alike = Map.groupBy(problems, ([, problem]) => problem);
  return [...alike].map(([problem, of]) => {
    const many = of.length > 1 && problem === "is not installed";
    return `${list(of.map(([whom]) => whom))} ${many ? "are not installed" : problem}`;
  }).join("; ");
}

/** The newest version, as the first of those says who knows it. Throws `remote_unreachable` when none does. */
async function newestRelease(
  system: System,
  order: readonly Asked[],
): Promise<Newest> {
  const problems: (readonly [Asked, Problem])[] = [];
  const said: Record<string, string> = {};
  for (const whom of order) {
    const reply = await ask(system, whom);
    if ("version" in reply) return { version: reply.version, asked: whom };
    problems.push([whom, reply.problem]);
    said[whom] = reply.said || reply.problem;
  }
  throw new AmofError(
    "remote_unreachable",
    `Cannot tell whether there is a newer version: ${outcomeText(problems)}`,
    {
      hint: [
        "Check the network, then repeat",
        `Or see the releases: https://github.com/${REPOSITORY}/releases`,
      ],
      details: { problems: said },
    },
  );
}

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
function upgradeSteps(system: System): string {
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
  input: (z) => ({
    check: z.boolean().default(false).describe("Exit with 3 where there is a newer version"),
    ask: z.enum(ASKED).optional().describe("Ask this program and no other"),
  }),
  async main(ctx, { check, ask }) {
    const { system } = ctx.app;
    const order = ask === undefined ? orderFor(isOfNpm(system)) : [ask];
    const newest = await newestRelease(system, order);
    const newer = isNewer(newest.version, VERSION);
    const page = `https://github.com/${REPOSITORY}/releases/tag/v${newest.version}`;
    const how = newer ? upgradeSteps(system) : null;
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
