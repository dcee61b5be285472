/** The lock file of amof itself, as a list. */

import { readLock } from "../lock/lock.ts";
import { type Imported, listed, type Source, unreadable } from "./imported.ts";

/** Reads the repositories of a lock: each at its branch, with its commit. */
export function importLock({ text, shown }: Source): Imported {
  const lock = readLock(text);
  if (typeof lock === "string") throw unreadable(shown, lock);
  const repos = lock.repos.map((repo) =>
    listed({
      what: repo.name,
      name: repo.name,
      path: repo.path ?? null,
      url: repo.url,
      version: repo.commit,
      branch: repo.branch,
      readonly: repo.readonly ?? false,
      tags: repo.tags ?? [],
      dependsOn: repo.depends_on ?? [],
    })
  );
  return { repos, groups: lock.groups ?? {}, notes: [] };
}
