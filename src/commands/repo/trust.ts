/**
 * `amof repo trust`: a person has looked at what git goes by in a clone, and takes it for their own (SEAL-5).
 *
 * It exists only on the command line. Whoever comes in over MCP may have written what is to be looked at.
 */

import { type CommandContext, mutation, type Result } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { isSame } from "../../base/policy/consent.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { blocks } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, list, shellWord } from "../../base/text/words.ts";
import { repoDirectory, requireWorkspace } from "../../workspace/mod.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import { selectRepos } from "../selection/mod.ts";
import { shownSuspects, suspectNames, suspectsText } from "../../workspace/seals/mod.ts";

interface TrustFact {
  readonly name: string;
  readonly directory: string;
  readonly digest: string;
  /** What has changed, by name. */
  readonly changed: readonly string[];
}

interface TrustFacts {
  readonly repos: readonly TrustFact[];
  /** What a person who has read the preview can name. */
  readonly hash: string;
}

interface TrustData {
  readonly trusted: readonly string[];
  readonly hash: string | null;
}

/** How many lines of a file that has changed are shown. */
const SHOWN_LINES = 40;

/** The clones that wait for a look, with what has changed there as lines. */
async function waiting(
  ctx: CommandContext,
  names: readonly string[] | undefined,
): Promise<{ facts: TrustFacts; shown: readonly string[][] }> {
  const manifest = await scopeManifest(ctx);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const repos: TrustFact[] = [];
  const shown: string[][] = [];
  for (const repo of selectRepos(manifest, names)) {
    const directory = await repoDirectory(ctx.system, workspace.directory, repo);
    const standing = await ctx.seals.standing(directory);
    if (standing.state !== "changed") continue;
    const { suspects, seal } = standing;
    repos.push({
      name: repo.name,
      directory,
      digest: seal.digest,
      changed: suspectNames(suspects),
    });
    shown.push([
      `${repo.name}: ${suspectsText(suspectNames(suspects))}`,
      ...shownSuspects(seal, suspects, SHOWN_LINES).map((line) =>
        `    ${cleanLine(maskSecrets(line), 300)}`
      ),
    ]);
  }
  return { facts: { repos, hash: sha256(repos.map(({ digest }) => digest).join("\n")) }, shown };
}

function trustLine(ctx: CommandContext, names: readonly string[], more: string): string {
  const scope = ctx.ticket === null ? [] : ["-t", ctx.ticket];
  return ["amof", "-e", ctx.ecosystem, ...scope, "repo", "trust", ...names].map(shellWord).join(
    " ",
  ) + more;
}

/** The answer where nobody can have read what would be taken over: no consent makes up for that. */
function unseen(ctx: CommandContext, { repos, hash }: TrustFacts): Result<TrustData> {
  const names = repos.map(({ name }) => name);
  return {
    data: { trusted: [], hash },
    failure: new AmofError(
      "clone_untrusted",
      `Cannot trust ${few(names, 5)}: nobody at a terminal has seen what has changed there`,
      {
        hint: `Do it in a terminal, or name the hash of what you have read: ${
          trustLine(ctx, names, " --hash HEX --yes")
        }`,
        details: { repos: names, hash },
      },
    ),
  };
}

/** `amof repo trust`. */
export const trustRepo = mutation({
  name: "amof_trust_repo",
  path: ["repo", "trust"],
  toolset: "ecosystem",
  scope: "ecosystem",
  inTicket: "its workspace",
  mcp: "never",
  next: [],
  title: "Trust clone",
  summary: "Look at what has changed of what git goes by in clones, and let it count from now on.",
  description:
    "Settings, hooks, attributes and submodules of a clone name programs that git runs, and places that it sends commits to. Where they have changed behind amof's back, it reads there without them and does nothing else, until a person has looked. Without names it is about every clone of the workspace. Without a terminal, as in CI, --hash must say what was read.",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "approval", will: "let git go by what has changed in the clone" },
  idempotent: true,
  positionals: ["names"],
  examples: ["repo trust api", "repo trust api web --dry-run", "repo trust"],
  input: (z) => ({
    names: z.array(z.string().min(1)).optional().describe("Names of repositories"),
    hash: z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits").optional()
      .describe("Trust them only if the hash is this one"),
  }),
  async preview(ctx, input) {
    const { facts, shown } = await waiting(ctx, input.names);
    const names = facts.repos.map(({ name }) => name);
    if (
      input.hash !== undefined && names.length > 0 && !isSame(input.hash.toLowerCase(), facts.hash)
    ) {
      throw new AmofError(
        "clone_untrusted",
        `Cannot trust ${few(names, 5)}: the hash is ${facts.hash}, not the one that was named`,
        {
          hint: `See what has changed: ${trustLine(ctx, names, " --dry-run")}`,
          details: { repos: names, hash: facts.hash },
        },
      );
    }
    return {
      facts,
      summary: names.length === 0
        ? "Would change nothing: nothing waits for a look."
        : `Would trust ${count(names.length, "clone")}.`,
      effects: facts.repos.map(({ name, changed }) =>
        `Let git go by ${cleanLine(few([...changed], 5), 300)} in ${name}`
      ),
      details: blocks(
        ...shown,
        ...(names.length === 0 ? [] : [
          `Hash: ${facts.hash}`,
          "What these settings and files name is run with your rights, or gets your commits.",
        ]),
      ),
      current: names.length === 0 ? "Every clone is as it was sealed" : `${list(names)} changed`,
      alternatives: ["Put back what has changed there: the clone is trusted again by itself"],
      ...(names.length === 0
        ? { settled: { data: { trusted: [], hash: null } } }
        : input.hash === undefined && !ctx.system.terminal.stdinIsTerminal
        ? { settled: unseen(ctx, facts) }
        : {}),
    };
  },
  async execute(ctx, _input, { repos, hash }: TrustFacts) {
    const digests = repos.map(({ digest }) => digest);
    const by = { by: ctx.caller.name, digests };
    const sealed = new Set(await ctx.seals.seal(repos.map(({ directory }) => directory), by));
    const trusted = repos.filter(({ directory }) => sealed.has(directory)).map(({ name }) => name);
    const left = repos.map(({ name }) => name).filter((name) => !trusted.includes(name));
    const data: TrustData = { trusted, hash };
    return left.length === 0 ? { data } : {
      data,
      failure: new AmofError(
        "clone_untrusted",
        `Cannot trust ${few(left, 5)}: it changed once more since it was shown`,
        { hint: `Look again: ${trustLine(ctx, left, "")}`, details: { repos: left } },
      ),
    };
  },
  render: ({ trusted }: TrustData) => ({
    summary: trusted.length === 0
      ? "Found nothing that waits for a look."
      : `Trusted ${count(trusted.length, "clone")}.`,
    ...(trusted.length === 0 ? {} : { details: trusted.join("\n") }),
  }),
});
