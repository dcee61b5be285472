/**
 * `amof ecosystem create`: scaffolds a valid manifest with its folders (WORKSPACE-13).
 *
 * The user's branch stays where it is; a commit is made only when asked for.
 *
 * @module
 */

import { SLUG } from "../ids.ts";
import { join } from "@std/path";
import { AmofError } from "../error.ts";
import { type CommandContext, mutation, onlyTyped } from "../contract/mod.ts";
import { count } from "../text/words.ts";
import { flagsFor, guardOfControl, keptTouches, touches, touchText } from "../workspace/mod.ts";
import { filesOf, parseRepo, scaffoldStep } from "./scaffold.ts";

async function refuseExisting(ctx: CommandContext, name: string): Promise<void> {
  const entries = await ctx.system.files.list(join(ctx.root, "ecosystems"));
  // Names that differ only in case would be one directory on some systems.
  const twin = entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
  if (twin === undefined) return;
  throw new AmofError(
    "ecosystem_exists",
    `Cannot create "${name}": ecosystems/${twin.name} exists`,
    {
      hint: `Describe it: amof ecosystem describe ${twin.name}`,
      details: { ecosystem: twin.name },
    },
  );
}

/** Refuses to commit files that an ecosystem of the control repository guards, unless they are let go. */
async function refuseGuarded(
  ctx: CommandContext,
  name: string,
  files: readonly string[],
  allowed: readonly string[],
): Promise<void> {
  const found = touches(await guardOfControl(ctx.system, ctx.root), files, allowed);
  if (found.length === 0) return;
  const globs = [...new Set(found.map(({ glob }) => glob))];
  throw new AmofError(
    "push_refused",
    `Cannot create "${name}" with a commit: it would commit no-touch paths: ${touchText(found)}`,
    {
      hint: `Leave the commit out: amof ecosystem create ${name}; ` +
        `only a person at a terminal can let it go: the same command with ${
          flagsFor("--allow-no-touch", globs)
        }`,
      details: { ecosystem: name, touches: keptTouches(found) },
    },
  );
}

interface CreateData {
  readonly name: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly commit: string | null;
}

/** `amof ecosystem create`. */
export const createEcosystem = mutation({
  name: "amof_create_ecosystem",
  path: ["ecosystem", "create"],
  toolset: "ecosystem",
  scope: "global",
  safety: "safe-write",
  confirm: "none",
  runs: "create_ecosystem",
  inline: true,
  exclusive: true,
  founding: true,
  title: "Create ecosystem",
  summary: "Scaffold a new ecosystem with a valid manifest.",
  positionals: ["name"],
  flags: { repos: "repo" },
  examples: [
    "ecosystem create shop --repo api=https://host/api.git@main",
    "ecosystem create shop --commit",
  ],
  input: (z) =>
    z.strictObject({
      name: z.string().regex(
        SLUG,
        'must be letters, digits, ".", "_", "-", beginning with a letter or digit',
      ).describe("Name of the new ecosystem"),
      description: z.string().max(1000).default("").describe("One line about it"),
      repos: z.array(z.string()).default([]).describe("Repositories as name=url[@branch][:ro]"),
      commit: z.boolean().default(false).describe("Commit the new files"),
      allow_no_touch: onlyTyped(
        z.array(z.string().min(1)).optional().describe("Commit this no-touch path or glob, too"),
      ),
    }),
  async preview(ctx, input) {
    await refuseExisting(ctx, input.name);
    const repos = input.repos.map(parseRepo);
    const files = await filesOf(ctx, input);
    if (input.commit) await refuseGuarded(ctx, input.name, files, input.allow_no_touch ?? []);
    return {
      facts: {
        name: input.name,
        files,
        repos: repos.map((repo) => repo.name),
        commit: input.commit,
      },
      summary: `Would create ${input.name} with ${count(repos.length, "repo")}.`,
      effects: [
        ...files.map((file) => `Write ${file}`),
        ...(input.commit ? [`Commit "Create ecosystem: ${input.name}"`] : []),
      ],
      current: `ecosystems/${input.name} does not exist`,
      alternatives: ["List what exists: amof ecosystem list"],
    };
  },
  async execute(ctx, input) {
    const { step, files } = await scaffoldStep(ctx, input, input.commit);
    await ctx.perform([step]);
    const commit = input.commit ? await ctx.git.at(ctx.root).refs.resolve("HEAD") : null;
    return {
      data: {
        name: input.name,
        path: `ecosystems/${input.name}`,
        files,
        commit,
      },
    };
  },
  render: (data: CreateData) => ({
    summary: `Created ${data.name}${
      data.commit === null ? "" : ` and committed it as ${data.commit.slice(0, 7)}`
    }.`,
    details: data.files.join("\n"),
  }),
});
