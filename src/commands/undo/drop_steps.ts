/**
 * The steps by which clones are taken out of a workspace: set aside, looked at once more, and only then deleted
 * (UNDO-11).
 */

import { dirname, join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { isSame } from "../../base/policy/same.ts";
import { operation } from "../../runs/steps/mod.ts";
import { count } from "../../base/text/words.ts";
import { digestOf } from "../../workspace/removal/mod.ts";
import { loadRecord, saveRecord, scopeManifest } from "../../workspace/tickets/mod.ts";
import { refreshEditorFile } from "../../workspace/mod.ts";
type Dropping = {
  /** The workspace, absolute. */
  readonly directory: string;
  /** Where the clones go first, beside it. */
  readonly aside: string;
  readonly clones: readonly {
    readonly name: string;
    readonly path: string;
    readonly digest: string;
  }[];
};

/** Renames the clones to the place they are deleted from. */
export const dropAside = operation<Dropping>({
  name: "undo_set_clones_aside",
  touches: ({ directory, clones }) => clones.map(({ path }) => join(directory, path)),
  describe: ({ clones }) => `Set ${count(clones.length, "clone")} aside`,
  async act({ system: { files } }, { directory, aside, clones }) {
    for (const { path } of clones) {
      const [from, to] = [join(directory, path), join(aside, path)];
      if (await files.lstat(to) !== null) continue;
      await files.makeDirectory(dirname(to));
      await files.rename(from, to);
    }
  },
  async undo({ system: { files } }, { directory, aside, clones }) {
    for (const { name, path } of clones) {
      const [from, to] = [join(aside, path), join(directory, path)];
      if (await files.lstat(from) === null) continue;
      if (await files.lstat(to) !== null) {
        throw new AmofError(
          "would_lose_work",
          `Cannot put the clone of "${name}" back: something new is at ${to}`,
          {
            hint:
              `The clone is in ${from}\nMove away what is in its place, then: amof doctor --repair`,
          },
        );
      }
      await files.makeDirectory(dirname(to));
      await files.rename(from, to);
    }
    await files.removeTree(aside);
  },
});

/** Makes sure that nothing was added to the clones since they were looked at. */
export const checkDropped = operation<Pick<Dropping, "aside" | "clones">>({
  name: "undo_check_clones_aside",
  touches: ({ aside }) => [aside],
  describe: () => "Check that nothing was added meanwhile",
  async act(ctx, { aside, clones }) {
    for (const { name, path, digest } of clones) {
      if (isSame(await digestOf(ctx, join(aside, path), name), digest)) continue;
      throw new AmofError(
        "would_lose_work",
        `Cannot remove "${name}": it has changed meanwhile; everything is as it was`,
        { hint: "Look at it: amof status\nThen repeat", details: { repo: name } },
      );
    }
  },
});

/** Forgets the clones: what the ticket has, what the editor shows, what they borrowed. */
export const forgetDropped = operation<
  Pick<Dropping, "directory" | "clones"> & { readonly ticket: string | null }
>({
  name: "undo_forget_clones",
  touches: ({ directory }) => [directory],
  describe: ({ clones }) => `Forget ${count(clones.length, "clone")}`,
  async act(ctx, { directory, ticket, clones }) {
    for (const { path } of clones) {
      ctx.borrowers.remove(join(directory, path));
      await ctx.seals.forget(join(directory, path));
    }
    const gone = new Set(clones.map(({ name }) => name));
    const manifest = await scopeManifest({ ...ctx, ticket });
    const record = ticket === null ? null : await loadRecord(ctx.system, directory);
    if (record !== null) {
      const repos = Object.entries(record.repos).filter(([name]) => !gone.has(name));
      await saveRecord(ctx.system, directory, { ...record, repos: Object.fromEntries(repos) });
    }
    await refreshEditorFile(ctx.system, directory, {
      ...manifest,
      name: ticket === null ? manifest.name : `${manifest.name}.${ticket}`,
      repos: manifest.repos.filter(({ name }) => !gone.has(name)),
    });
  },
});

/** The steps of taking clones out of a workspace. */
export const DROP_OPERATIONS = [dropAside, checkDropped, forgetDropped] as const;
