/** The files a new ecosystem begins with, and the journaled step that makes them. */

import { isBranchName, SLUG } from "../../../base/ids.ts";
import { join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import { isUnsafeUrl } from "../../../git/mod.ts";
import { operation } from "../../../runs/steps/mod.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import {
  checkManifest,
  lockFile,
  manifestInvalid,
  manifestJsonSchema,
} from "../../../workspace/manifest/mod.ts";
import { hasCredentials } from "../../../workspace/clones/mod.ts";
import { lockText } from "../../../workspace/lock/mod.ts";

/** A repository of a new ecosystem; a type alias, so that it counts as plain JSON. */
export type GivenRepo = {
  readonly name: string;
  readonly url: string;
  /** Null where nobody knows it. */
  readonly branch: string | null;
  readonly readonly: boolean;
  /** Absent for the usual place. */
  readonly path?: string;
  /** Absent for true. */
  readonly enabled?: boolean;
  readonly tags?: readonly string[];
  readonly depends_on?: readonly string[];
  /** How much history its clones get; absent for what the ecosystem says. */
  readonly clone?: string;
  /** Whether its clones get its submodules; absent for false. */
  readonly submodules?: boolean;
  /** The commit it is locked at. */
  readonly commit?: string;
};

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
  const branch = branched ? address.slice(at + 1) : null;
  if (url === "" || isUnsafeUrl(url)) refuse("its address may not be cloned");
  if (hasCredentials(url)) {
    refuse("its address holds credentials, which everybody would read in the manifest");
  }
  if (branch !== null && !isBranchName(branch)) {
    refuse(`"${cleanLine(branch, 40)}" cannot be the name of a branch`);
  }
  return { name, url, branch, readonly };
}

/** The file with the JSON Schema of manifests, in the directory of all ecosystems. */
const SCHEMA_NAME = "ecosystem.schema.json";

async function manifestText({ name, description, repos, groups }: Founded): Promise<string> {
  const { stringify } = await import("@std/yaml");
  // Relative, so that editors find it in every clone, without a network, in the version it was made with.
  return `# yaml-language-server: $schema=../${SCHEMA_NAME}\n` + stringify({
    name,
    description,
    repos: repos.map((repo) => ({
      name: repo.name,
      url: repo.url,
      ...(repo.branch === null ? {} : { branch: repo.branch }),
      ...(repo.path === undefined ? {} : { path: repo.path }),
      ...(repo.readonly ? { readonly: true } : {}),
      ...(repo.enabled === undefined ? {} : { enabled: repo.enabled }),
      ...(repo.tags === undefined ? {} : { tags: repo.tags }),
      ...(repo.depends_on === undefined ? {} : { depends_on: repo.depends_on }),
      ...(repo.clone === undefined ? {} : { clone: repo.clone }),
      ...(repo.submodules === undefined ? {} : { submodules: repo.submodules }),
    })),
    ...(Object.keys(groups).length === 0 ? {} : { groups }),
  });
}

/** What an ecosystem is made of; a type alias, so that it counts as plain JSON. */
export type Founded = {
  readonly name: string;
  readonly description: string;
  readonly repos: readonly GivenRepo[];
  /** Names of groups with their repositories. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** When its lock was made, where it begins with one. */
  readonly locked_at: string | null;
};

/** The lock an ecosystem begins with, where a list names commits: these, and which repositories follow their branch. */
function lockOf({ name, repos, groups, locked_at }: Founded): [file: string, text: string][] {
  if (locked_at === null || repos.every(({ commit }) => commit === undefined)) return [];
  const locked = repos.flatMap((
    { name: repo, url, branch, path, readonly, enabled, tags, depends_on, commit },
  ) =>
    enabled === false ? [] : [{
      name: repo,
      url,
      ...(branch === null ? {} : { branch }),
      ...(commit === undefined ? {} : { commit }),
      ...(path === undefined ? {} : { path }),
      ...(readonly ? { readonly } : {}),
      ...(tags === undefined ? {} : { tags }),
      ...(depends_on === undefined ? {} : { depends_on }),
    }]
  );
  const lock = { ecosystem: name, made_at: locked_at, repos: locked, groups };
  return [[lockFile(name), lockText(lock)]];
}

/** The texts of all files an ecosystem may begin with, by path relative to the control repository. */
async function texts(founded: Founded): Promise<Map<string, string>> {
  const { name } = founded;
  const base = `ecosystems/${name}`;
  return new Map([
    [
      `ecosystems/${SCHEMA_NAME}`,
      `${JSON.stringify(await manifestJsonSchema(), null, 2)}\n`,
    ],
    [`${base}/ecosystem.yaml`, await manifestText(founded)],
    ...lockOf(founded),
    [`${base}/kb/README.md`, `# Knowledge base of ${name}\n\nOne article per file.\n`],
    [`${base}/journal/.gitkeep`, ""],
    [`${base}/playbooks/README.md`, `# Playbooks of ${name}\n\nOne recurring task per file.\n`],
  ]);
}

/** The files that are to be made, relative to the control repository. */
export async function filesOf(ctx: CommandContext, founded: Founded): Promise<string[]> {
  const schema = `ecosystems/${SCHEMA_NAME}`;
  // All ecosystems share it; one that is there may be newer than this program.
  const shared = await ctx.system.files.lstat(join(ctx.root, schema)) !== null;
  return [...(await texts(founded)).keys()].filter((file) => !shared || file !== schema);
}

type CreateArguments = {
  readonly root: string;
  readonly founded: Founded;
  readonly files: readonly string[];
  readonly directories: readonly string[];
  /** The subject of the commit; null to make none. */
  readonly subject: string | null;
};

/** Whether the last commit has all of the files. */
async function isCommitted(
  ctx: CommandContext,
  { root, files, subject }: CreateArguments,
): Promise<boolean> {
  if (subject === null) return false;
  for (const file of files) {
    if (await ctx.git.at(root).commits.fileAt("HEAD", file) === null) return false;
  }
  return true;
}

/**
 * Writes the files of a new ecosystem and commits them where that is asked for. Taken back unless they are committed:
 * then all of it has happened.
 */
export const scaffoldEcosystem = operation<CreateArguments>({
  name: "scaffold_ecosystem",
  touches: ({ root }) => [root],
  describe: ({ founded }) => `Make ecosystems/${founded.name}`,
  async act(ctx, args) {
    const { root, founded, files, subject } = args;
    const content = await texts(founded);
    for (const file of files) {
      const path = join(root, file);
      if (await ctx.system.files.lstat(path) !== null) continue;
      await ctx.system.files.write(path, content.get(file) ?? "");
    }
    const check = await checkManifest(ctx.system, root, founded.name);
    if (check.manifest === null) throw manifestInvalid(founded.name, check);
    if (subject === null || await isCommitted(ctx, args)) return;
    await ctx.git.at(root).commits.paths(files, subject);
  },
  async undo(ctx, args) {
    const { root, founded, files, directories, subject } = args;
    if (await isCommitted(ctx, args)) return;
    if (subject !== null) await ctx.git.at(root).commits.unstage(files);
    const content = await texts(founded);
    for (const file of files) {
      const path = join(root, file);
      // A file that somebody has changed since is kept.
      if (await ctx.system.files.readText(path) === content.get(file)) {
        await ctx.system.files.remove(path);
      }
    }
    for (const directory of directories) {
      const path = join(root, directory);
      if ((await ctx.system.files.list(path)).length === 0) await ctx.system.files.remove(path);
    }
  },
});

/** The step that makes an ecosystem, with what it makes. */
export async function scaffoldStep(
  ctx: CommandContext,
  founded: Founded,
  commit: boolean,
): Promise<{ readonly step: ReturnType<typeof scaffoldEcosystem.step>; readonly files: string[] }> {
  const { root } = ctx;
  const files = await filesOf(ctx, founded);
  const base = `ecosystems/${founded.name}`;
  const directories = [`${base}/kb`, `${base}/journal`, `${base}/playbooks`, base];
  if (await ctx.system.files.lstat(join(root, "ecosystems")) === null) {
    directories.push("ecosystems");
  }
  const subject = commit ? `Create ecosystem: ${founded.name}` : null;
  return { files, step: scaffoldEcosystem.step({ root, founded, files, directories, subject }) };
}
