/**
 * `amof ecosystem create`: scaffolds a valid manifest with its folders (amof.md §2.1).
 *
 * The user's branch stays where it is; a commit is made only when asked for.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import { AmofError } from "../error.ts";
import { isBranchName, isUnsafeUrl } from "../git/mod.ts";
import { runSteps } from "../journal/mod.ts";
import { type CommandContext, mutation } from "../spec/mod.ts";
import { maskSecrets } from "../text/mask.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import { checkManifest, manifestInvalid } from "./manifest.ts";
import { manifestJsonSchema, SLUG } from "./manifest_schema.ts";

/** A repository as it is given on the command line. */
export interface GivenRepo {
  readonly name: string;
  readonly url: string;
  readonly branch: string;
  readonly readonly: boolean;
}

const WHOLE_ADDRESS = [
  /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/.+/i,
  /^(?:[^/@:]+@)?[^/@:]+:(?!\/\/).+/,
  /^[./].+/,
];

/** Reads `name=url[@branch][:ro]`; throws `invalid_arguments`. */
export function parseRepo(text: string): GivenRepo {
  const refuse = (why: string): never => {
    throw new AmofError(
      "invalid_arguments",
      `Cannot read repository "${cleanLine(maskSecrets(text), 80)}": ${why}`,
      {
        hint: "Write name=url[@branch][:ro], such as api=https://host/api.git@main",
        details: { field: "repos" },
      },
    );
  };
  const equals = text.indexOf("=");
  const name = text.slice(0, Math.max(0, equals));
  if (equals < 0 || !SLUG.test(name)) refuse("it has no valid name before =");
  const rest = text.slice(equals + 1);
  const readonly = rest.endsWith(":ro");
  const address = readonly ? rest.slice(0, -3) : rest;
  const at = address.lastIndexOf("@");
  // An "@" also stands in front of hosts: what precedes it must be a whole address, what follows a branch.
  const branched = at > 0 && WHOLE_ADDRESS.some((pattern) => pattern.test(address.slice(0, at)));
  const url = branched ? address.slice(0, at) : address;
  const branch = branched ? address.slice(at + 1) : "main";
  if (url === "" || isUnsafeUrl(url)) refuse("its address may not be cloned");
  if (!isBranchName(branch)) refuse(`"${cleanLine(branch, 40)}" cannot be the name of a branch`);
  return { name, url, branch, readonly };
}

/** The file with the JSON Schema of manifests, in the directory of all ecosystems. */
const SCHEMA_NAME = "ecosystem.schema.json";

async function manifestText(
  name: string,
  description: string,
  repos: readonly GivenRepo[],
): Promise<string> {
  // @ts-types="@types/std/yaml.d.ts"
  const { stringify } = await import("@std/yaml");
  // Relative, so that editors find it in every clone, without a network, in the version it was made with.
  return `# yaml-language-server: $schema=../${SCHEMA_NAME}\n` + stringify({
    name,
    description,
    repos: repos.map((repo) => ({
      name: repo.name,
      url: repo.url,
      branch: repo.branch,
      ...(repo.readonly ? { readonly: true } : {}),
    })),
  });
}

async function scaffold(
  ctx: CommandContext,
  name: string,
  description: string,
  repos: readonly GivenRepo[],
): Promise<Map<string, string>> {
  const base = `ecosystems/${name}`;
  const schema = `ecosystems/${SCHEMA_NAME}`;
  return new Map([
    // All ecosystems share it; one that is there may be newer than this program.
    ...await ctx.system.files.lstat(join(ctx.root, schema)) === null
      ? [[schema, `${JSON.stringify(await manifestJsonSchema(), null, 2)}\n`] as const]
      : [],
    [`${base}/ecosystem.yaml`, await manifestText(name, description, repos)],
    [`${base}/kb/README.md`, `# Knowledge base of ${name}\n\nOne article per file.\n`],
    [`${base}/journal/.gitkeep`, ""],
    [`${base}/playbooks/README.md`, `# Playbooks of ${name}\n\nOne recurring task per file.\n`],
  ]);
}

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

interface CreateData {
  readonly [field: string]: unknown;
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
    }),
  async preview(ctx, input) {
    await refuseExisting(ctx, input.name);
    const repos = input.repos.map(parseRepo);
    const files = [...(await scaffold(ctx, input.name, input.description, repos)).keys()];
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
    const repos = input.repos.map(parseRepo);
    const files = await scaffold(ctx, input.name, input.description, repos);
    const { files: disk } = ctx.system;
    const ecosystems = join(ctx.root, "ecosystems");
    const directory = join(ecosystems, input.name);
    const first = await disk.lstat(ecosystems) === null;
    let commit: string | null = null;
    await runSteps(
      [
        {
          name: `Make ecosystems/${input.name}`,
          act: async () => void await disk.makeDirectory(directory),
          undo: async () => {
            for (const part of ["kb", "journal", "playbooks", "."]) {
              await disk.remove(join(directory, part));
            }
            if (first) await disk.remove(ecosystems);
          },
        },
        ...[...files].map(([file, content]) => ({
          name: `Write ${file}`,
          act: () => disk.create(join(ctx.root, file), content),
          undo: async () => void await disk.remove(join(ctx.root, file)),
        })),
        {
          name: "Check the manifest",
          act: async () => {
            const check = await checkManifest(ctx.system, ctx.root, input.name);
            if (check.manifest === null) throw manifestInvalid(input.name, check);
          },
        },
        ...(input.commit
          ? [{
            name: "Commit the new files",
            act: async () => {
              commit = await ctx.git.commits.paths(
                ctx.root,
                [...files.keys()],
                `Create ecosystem: ${input.name}`,
              );
            },
          }]
          : []),
      ],
      ctx.report,
      ctx.signal,
    );
    return {
      data: {
        name: input.name,
        path: `ecosystems/${input.name}`,
        files: [...files.keys()],
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
