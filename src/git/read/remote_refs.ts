/**
 * What remotes have, asked of them themselves and not of what was fetched. Reached as `git.at(directory).remoteRefs`.
 */

import { join } from "@std/path";
import {
  type BranchName,
  branchName,
  isBranchName,
  type Loose,
  type Sha,
  sha,
} from "../../base/ids.ts";
import { gitDirectory } from "../files/directory.ts";
import { RepositoryPart } from "../call/part.ts";

/** How long a remote may take to answer a question without which work can go on. */
const QUESTION_MS = 15_000;

/** The refs by full name that a remote has answered with. */
function refsIn(output: string): ReadonlyMap<string, Sha> {
  return new Map(
    output.split("\n").flatMap((line) => {
      const [, commit = "", ref = ""] = /^([0-9a-f]{40,})\t(.+)$/.exec(line) ?? [];
      return commit === "" ? [] : [[ref, sha(commit)] as const];
    }),
  );
}

/** Questions to remotes. */
export class RemoteRefs extends RepositoryPart {
  /** The answer holds more than was asked for: names are patterns to git, which also match the end of longer ones. */
  async #ask(
    words: readonly string[],
    options: { readonly timeoutMs?: number; readonly whom?: string } = {},
  ) {
    const { whom = `the remote of "${this.git.name}"`, ...limits } = options;
    return await this.git.must(["ls-remote", ...words], {
      access: "read",
      network: true,
      ...limits,
    }, `ask ${whom}`);
  }

  /** The branches of a remote by name with their commits. One process, network. */
  async branches(remote: string): Promise<ReadonlyMap<string, Sha>> {
    const refs = refsIn(await this.#ask(["--heads", "--end-of-options", remote]));
    return new Map([...refs].map(([ref, commit]) => [ref.replace(/^refs\/heads\//, ""), commit]));
  }

  /**
   * The branches and tags of a remote by full name; what an annotated tag points to stands under its name with
   * `^{}`. One process, network.
   */
  async branchesAndTags(remote: string): Promise<ReadonlyMap<string, Sha>> {
    return refsIn(await this.#ask(["--heads", "--tags", "--end-of-options", remote]));
  }

  /** The same with everything else that the remote shows, such as notes and requests to merge. One process, network. */
  async all(remote: string): Promise<ReadonlyMap<string, Sha>> {
    return refsIn(await this.#ask(["--end-of-options", remote]));
  }

  /** The commit of a branch of `origin`; null when it has none. Gives up after some seconds. One process, network. */
  async tipOf(branch: Loose<BranchName>): Promise<Sha | null> {
    const ref = `refs/heads/${branch}`;
    const output = await this.#ask(["--end-of-options", "origin", ref], { timeoutMs: QUESTION_MS });
    return refsIn(output).get(ref) ?? null;
  }

  /** The commit of a branch of a remote; null when it has none. One process, network. */
  async branch(remote: string, branch: string): Promise<Sha | null> {
    const ref = `refs/heads/${branch}`;
    return refsIn(await this.#ask(["--end-of-options", remote, ref])).get(ref) ?? null;
  }

  /**
   * What a remote says of itself: the branch that a clone would check out, or null, and whether `name` is a branch.
   * Where `name` is a tag or another ref (`refs/NAME`, or NAME itself) its commit is told, else null. Gives up after
   * some seconds. One process, two for a remote without commits; network.
   */
  async introduce(url: string, name: string | null): Promise<{
    readonly defaultBranch: BranchName | null;
    readonly isBranch: boolean;
    readonly tag: Sha | null;
    readonly other: Sha | null;
    readonly isEmpty: boolean;
  }> {
    const wanted = name === null ? [] : [
      `refs/heads/${name}`,
      `refs/tags/${name}`,
      `refs/tags/${name}^{}`,
      ...[name, `refs/${name}`].filter((one) => one.startsWith("refs/"))
        .flatMap((one) => [`${one}^{}`, one]),
    ];
    const output = await this.#ask(["--symref", "--end-of-options", url, "HEAD", ...wanted], {
      timeoutMs: QUESTION_MS,
    });
    const refs = refsIn(output);
    const head = refs.size === 0
      ? await this.#unborn(url)
      : /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(output)?.[1] ?? null;
    const [branch = "", tag = "", peeled = "", ...others] = wanted;
    return {
      defaultBranch: head === null || !isBranchName(head) ? null : branchName(head),
      isBranch: refs.has(branch),
      tag: refs.get(peeled) ?? refs.get(tag) ?? null,
      other: others.flatMap((one) => refs.get(one) ?? [])[0] ?? null,
      isEmpty: refs.size === 0,
    };
  }

  /**
   * The branch that a remote without commits names: it tells that to a clone, and to nobody else. Null where it names
   * none. One process, network; what it writes is gone afterwards.
   */
  async #unborn(url: string): Promise<string | null> {
    const { files } = this.git.system;
    return await files.scratch({}, async (directory) => {
      const place = join(directory, "unborn.git");
      const result = await this.git.run(
        ["clone", "--quiet", "--bare", "--template=", "--end-of-options", url, place],
        { access: "read", network: true, timeoutMs: QUESTION_MS },
      );
      const head = result.exitCode === 0 ? await files.readText(join(place, "HEAD")) : null;
      return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1] ?? null;
    });
  }

  /**
   * The commit that a branch or tag of a remote repository points to, a tag's own commit first; null when
   * there is neither. One process, network.
   */
  async commitOf(url: string, name: string, what: string): Promise<Sha | null> {
    const [branch, tag, peeled] = [
      `refs/heads/${name}`,
      `refs/tags/${name}`,
      `refs/tags/${name}^{}`,
    ];
    const refs = refsIn(
      await this.#ask(["--end-of-options", url, branch, tag, peeled], {
        whom: `for "${name}" of ${what}`,
      }),
    );
    return refs.get(peeled) ?? refs.get(branch) ?? refs.get(tag) ?? null;
  }

  /**
   * The address that something was fetched from last, or that was cloned, as git has noted it; null where it has not. No
   * process.
   */
  async lastFetched(): Promise<string | null> {
    const { system, directory } = this.git;
    const place = await gitDirectory(system, directory);
    if (place === null) return null;
    const fetched = await system.files.readText(join(place, "FETCH_HEAD")) ?? "";
    const found = /^[0-9a-f]+\t[^\t]*\t(?:(?:branch|tag) '[^\n]*' of )?([^\n]+)$/m.exec(fetched)
      ?.[1];
    if (found !== undefined) return found;
    const moves = await system.files.readText(join(place, "logs", "HEAD")) ?? "";
    return /^0+ [^\n]*\tclone: from ([^\n]+)$/m.exec(moves)?.[1] ?? null;
  }
}
