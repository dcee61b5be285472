/**
 * Keeps the seals of clones, and decides before each call of git in one whether its configuration may count (SEAL-1).
 */

import { basename, join } from "@std/path";
import type { SealKeeping, SealState } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import {
  type Bypass,
  type ConfigKeys,
  type Git,
  type GitCall,
  type GitGuard,
  hashOfValues,
  isSameRepository,
  judge,
  type Remembered,
  remembered,
  type Seal,
  sealOf,
  type Suspects,
  type Untrusted,
} from "../../git/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { isBelow } from "../../base/paths.ts";
import { isSame } from "../../base/policy/consent.ts";
import type { Layout, SealRow, Store } from "../../state/store/mod.ts";
import type { System } from "../../base/system/mod.ts";
import type { BoxTools } from "../tickets/box.ts";
import { Confinement } from "./confine.ts";
import { checkManifest, ecosystemNames, type Manifest } from "../manifest/manifest.ts";
import { repoDirectory } from "../workspace.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";

async function manifestsOf(system: System, root: string): Promise<Manifest[]> {
  const found: Manifest[] = [];
  for (const name of await ecosystemNames(system, root)) {
    const { manifest } = await checkManifest(system, root, name).catch(() => ({ manifest: null }));
    if (manifest !== null) found.push(manifest);
  }
  return found;
}

/** Where the clones of all workspaces are or would be; a place that cannot be used is left out. */
async function workspaceClones(system: System, root: string): Promise<string[]> {
  const places: string[] = [];
  for (const { workspaceDir, repos } of await manifestsOf(system, root)) {
    for (const repo of repos) {
      const place = await repoDirectory(system, join(root, workspaceDir), repo).catch(() => null);
      if (place !== null) places.push(place);
    }
  }
  return places;
}

/** The addresses that the manifests of a control repository name. */
async function originsOf(system: System, root: string): Promise<ReadonlySet<string>> {
  return new Set(
    (await manifestsOf(system, root)).flatMap(({ repos }) => repos.map(({ url }) => url)),
  );
}

/** The world, and what the program keeps. */
interface Tools {
  /** One that can be changed: what is kept of clones is no change of theirs. */
  readonly system: System;
  /** One that asks nobody. */
  readonly git: Git;
  readonly layout: Layout;
  readonly store: () => Promise<Store>;
  readonly settings: BoxTools["settings"];
  /** The control repository; empty where there is none. */
  readonly root: string;
}

/** A clone that is being made lies so beside its place; nobody else knows it yet. */
const BEING_MADE = /[/\\]\.[^/\\]+\.amof-(?:new-)?[0-9a-f]{8}(?=[/\\]|$)/;
/** What is being removed was renamed so. */
const BEING_REMOVED = /([/\\])\.([^/\\]+)\.amof-removed-[0-9a-f]{8}(?=[/\\]|$)/;

/** What lies in the git directory of a clone. */
const WITHIN = /^(.+?)[/\\]\.git[/\\]/;

/** The seals of all clones, for one call of a command. */
export class SealGuard implements GitGuard, SealKeeping {
  readonly #tools: Tools;
  readonly #standings = new Map<string, Promise<SealState>>();
  /** The clones in which a process works, or has worked, that can write there and nowhere else. */
  readonly #boxed = new Set<string>();
  readonly #sanitized = new Map<string, Promise<string>>();
  readonly #confinement: Confinement;
  #begun: Promise<void> | null = null;
  #origins: Promise<ReadonlySet<string>> | null = null;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#confinement = new Confinement(tools);
  }

  async before(
    directory: string,
    { access, network, sends }: Pick<GitCall, "access" | "network" | "sends">,
    label: string | null,
  ): Promise<Bypass | null> {
    let standing = await this.standing(directory);
    const isBoxed = [...this.#boxed].some((clone) => isBelow(clone, directory));
    const onlyReads = access === "read" && (network !== true || isBoxed);
    if (onlyReads && (isBoxed || standing.state === "changed")) {
      return { sanitized: await this.#sanitizedOf(directory, isBoxed) };
    }
    if (isBoxed) {
      // A program in the box may have changed the configuration since (SEAL-6).
      this.#standings.clear();
      standing = await this.standing(directory);
      const link = await this.#confinement.link(directory);
      if (link !== null) throw untrusted(label ?? basename(directory), { keys: [], files: [link] });
    }
    if (standing.state !== "changed") return null;
    const { suspects } = standing;
    const bypass = isBoxed && (network !== true || sends === true)
      ? await this.#bypass(directory, standing)
      : null;
    if (bypass === null) throw untrusted(label ?? basename(directory), suspects);
    return sends === true ? { sanitized: await this.#sanitizedOf(directory, true) } : bypass;
  }

  async suspects(directory: string): Promise<Untrusted | null> {
    const standing = await this.standing(directory);
    if (standing.state !== "changed") return null;
    const isBoxed = [...this.#boxed].some((clone) => isBelow(clone, directory));
    const confined = isBoxed && await this.#confinement.link(directory) === null &&
      await this.#bypass(directory, standing) !== null;
    return { ...standing.suspects, confined };
  }

  /** How git can work in a clone that was boxed and has changed since; null where a person has to look first. */
  async #bypass(
    directory: string,
    { suspects, seal }: Extract<SealState, { readonly state: "changed" }>,
  ): Promise<Bypass | null> {
    // A push goes to the address from when the clone was sealed, or nowhere.
    if (await this.#sealedAddress(directory, new Map()) === null) return null;
    return await this.#confinement.bypass(directory, suspects, seal);
  }

  async holds(directory: string, digest: string): Promise<boolean> {
    if (this.#boxed.size > 0) return false;
    const key = await this.#keyOf(directory);
    if (await this.#quietly(({ seals }) => seals.holds(key, digest)) !== true) return false;
    this.#standings.set(directory, Promise.resolve({ state: "whole" }));
    return true;
  }

  standing(directory: string): Promise<SealState> {
    return this.#standings.getOrInsertComputed(directory, () => this.#look(directory));
  }

  async seal(
    directories: readonly string[],
    looked?: { readonly by: string; readonly digests: readonly string[] },
  ): Promise<readonly string[]> {
    await this.#begin();
    const { seals } = await this.#tools.store();
    const sealed: string[] = [];
    for (const [index, directory] of directories.entries()) {
      const found = await sealOf(this.#tools.system, directory);
      this.#standings.delete(directory);
      const wasLooked = looked === undefined ||
        isSame(looked.digests[index] ?? "", found?.digest ?? "");
      if (found === null || !wasLooked) continue;
      seals.set(await this.#keyOf(directory), this.#rowOf(found, looked?.by ?? null));
      sealed.push(directory);
    }
    return sealed;
  }

  async forget(directory: string): Promise<void> {
    (await this.#tools.store()).seals.forget(await this.#keyOf(directory));
  }

  async markBoxed(directory: string): Promise<void> {
    const { store, system } = this.#tools;
    (await store()).seals.markBoxed(await this.#keyOf(directory), system.clock.now());
    this.#standings.clear();
  }

  #rowOf(seal: Seal, by: string | null): Omit<SealRow, "boxedAt"> {
    return {
      digest: seal.digest,
      parts: JSON.stringify(remembered(seal)),
      sealedAt: this.#tools.system.clock.now(),
      sealedBy: by,
    };
  }

  /** Under which name the seal of a clone is kept: where it lies, or lay before it was put aside to be removed. */
  async #keyOf(directory: string): Promise<string> {
    const real = await this.#tools.system.files.realPath(directory) ?? directory;
    return real.replace(BEING_REMOVED, "$1$2");
  }

  async #look(directory: string): Promise<SealState> {
    const { system, root } = this.#tools;
    if (root === "" || BEING_MADE.test(directory)) return { state: "free" };
    // The git directory of a submodule lies in that of its clone.
    const [, clone] = WITHIN.exec(directory) ?? [];
    if (clone !== undefined) return await this.standing(clone);
    if (await system.files.lstat(join(directory, ".git")) === null) return { state: "free" };
    const key = await this.#keyOf(directory);
    let row = await this.#row(key);
    if (row === null) {
      // Clones elsewhere are looked at before they are adopted, which is when they are sealed.
      const top = await system.files.realPath(root) ?? root;
      const owner = isBelow(top, key) ? await this.#ownerOf(directory) : null;
      if (owner === null) return { state: "free" };
      if (owner !== directory) return await this.standing(owner);
      await this.#begin();
      row = await this.#row(key);
    }
    if (row !== null && row.boxedAt !== null) this.#boxed.add(directory);
    const seal = await sealOf(system, directory);
    if (seal === null) return { state: "free" };
    if (row !== null && isSame(row.digest, seal.digest)) return { state: "whole" };
    const before = row === null ? null : JSON.parse(row.parts) as Remembered;
    const suspects = await this.#judge(before, seal);
    if (suspects.keys.length + suspects.files.length > 0) {
      return { state: "changed", suspects, seal };
    }
    await this.#quietly(({ seals }) => seals.set(key, this.#rowOf(seal, row?.sealedBy ?? null)));
    return { state: "whole" };
  }

  /** The clone whose configuration counts in a working copy: another one for a linked one; null for what is not sealed. */
  async #ownerOf(directory: string): Promise<string | null> {
    const { git, root } = this.#tools;
    const common = await git.at(directory).commonDirectory();
    if (common === null || common === await git.at(root).commonDirectory()) return null;
    const owner = WITHIN.exec(`${common}/`)?.[1] ?? directory;
    return await this.#keyOf(owner) === await this.#keyOf(directory) ? directory : owner;
  }

  async #judge(before: Remembered | null, seal: Seal): Promise<Suspects> {
    const { system, git, layout, root } = this.#tools;
    this.#origins ??= originsOf(system, root);
    const origins = await this.#origins;
    return await judge(before, seal, {
      listed: (path) => git.at(root).configFile(path),
      isOrigin: (url) => origins.has(url) || [...origins].some((it) => isSameRepository(it, url)),
      mayBorrow: (objects) => isBelow(join(layout.data, "mirrors"), objects),
    });
  }

  async #row(key: string): Promise<SealRow | null> {
    return await this.#quietly(({ seals }) => seals.get(key)) ?? null;
  }

  /** Works with the store, where it can be used: a look at repositories does not fail because nothing can be kept. */
  async #quietly<T>(work: (store: Store) => T): Promise<T | undefined> {
    try {
      return work(await this.#tools.store());
    } catch (error) {
      if (error instanceof AmofError) return undefined;
      throw error;
    }
  }

  /** Seals what was there before there were seals: that is the user's own, and nobody has to look at it (SEAL-4). */
  #begin(): Promise<void> {
    this.#begun ??= this.#beginOnce();
    return this.#begun;
  }

  async #beginOnce(): Promise<void> {
    const { system, root } = this.#tools;
    if (await this.#quietly(({ seals }) => seals.hasBegun(root)) !== false) return;
    const found = new Map<string, Omit<SealRow, "boxedAt">>();
    for (const directory of await workspaceClones(system, root)) {
      const seal = await sealOf(system, directory);
      if (seal !== null) found.set(await this.#keyOf(directory), this.#rowOf(seal, null));
    }
    await this.#quietly(({ seals }) => seals.begin(root, system.clock.now(), found));
  }

  /** What stands in for a clone. Where amof writes, too, it is brought up to date each time. */
  #sanitizedOf(directory: string, again: boolean): Promise<string> {
    let sanitized = this.#sanitized.get(directory);
    if (sanitized === undefined || again) {
      sanitized = this.#cast(directory);
      this.#sanitized.set(directory, sanitized);
    }
    return sanitized;
  }

  async #cast(clone: string): Promise<string> {
    const { system, git, layout, root } = this.#tools;
    const sanitized = join(layout.state, "shadow", sha256(await this.#keyOf(clone)).slice(0, 16));
    const common = await git.at(clone).commonDirectory() ?? clone;
    const keys = new Map(await git.at(root).configFile(join(common, "config")) ?? []);
    if (this.#boxed.has(clone)) {
      const address = await this.#sealedAddress(clone, keys);
      keys.delete("remote.origin.pushurl");
      if (address === null) keys.delete("remote.origin.url");
      else keys.set("remote.origin.url", [address]);
    }
    const { writeSanitized } = await import("../../git/changing.ts");
    await writeSanitized(system, { clone, sanitized, keys });
    return sanitized;
  }

  /** The address that `origin` had when the clone was sealed; null where nobody knows it any more. */
  async #sealedAddress(clone: string, keys: ConfigKeys): Promise<string | null> {
    const row = await this.#row(await this.#keyOf(clone));
    const before = row === null ? null : JSON.parse(row.parts) as Remembered;
    const sealed = before?.keys[".git/config"]?.["remote.origin.url"];
    const { system, root } = this.#tools;
    this.#origins ??= originsOf(system, root);
    const known = [...(keys.get("remote.origin.url") ?? []), ...await this.#origins];
    return known.find((address) => hashOfValues([address]) === sealed) ?? null;
  }
}

/** The error of a clone whose configuration somebody has to look at first. */
function untrusted(repo: string, suspects: Suspects): AmofError {
  return new AmofError(
    "clone_untrusted",
    `Cannot work in "${repo}": ${suspectsText(suspectNames(suspects))}`,
    {
      hint: `A person looks at it and approves it in a terminal: amof repo trust ${repo}`,
      details: {
        repo,
        reason: suspectsText(suspectNames(suspects)),
        // Values may be passwords.
        keys: suspects.keys.map(({ key, file }) => ({ key, file })),
        files: suspects.files,
      },
    },
  );
}

// What has changed in a clone, in words.

/** What has changed, by name: settings with their file, and other files. Others chose these names. */
export function suspectNames({ keys, files }: Suspects): string[] {
  return [...keys.map(({ key, file }) => `${key} in ${file}`), ...files].map((name) =>
    cleanLine(name, 120)
  );
}

/** What has changed, in words. */
export function suspectsText(names: readonly string[]): string {
  return `what git goes by there has changed: ${few(names, 5)}`;
}

/** What has changed, as a person has to see it: settings with their values, and files with their first lines. */
export function shownSuspects(seal: Seal, suspects: Suspects, lines: number): string[] {
  return [
    ...suspects.keys.flatMap(({ key, values }) =>
      values.map((value) => value === null ? key : `${key} = ${value}`)
    ),
    ...suspects.files.flatMap((file) => {
      const text = seal.parts.find(({ name }) => name === file)?.text ?? "";
      const all = text.replace(/\n$/, "").split("\n");
      const more = all.length - lines;
      return [
        `${file}:`,
        ...all.slice(0, lines).map((line) => `  ${line}`),
        ...(more > 0 ? [`  and ${count(more, "more line")}`] : []),
      ];
    }),
  ];
}
