/** The questions and changes of git that releases need: tags, commits of exactly some files, atomic pushes. */

import { type BranchName, type Loose, type Sha, sha } from "../../base/ids.ts";
import { RELEASE_REFLOG } from "./branches.ts";
import { IDENTITY_REQUIRED, lineEnded, literal, takeHooksIn } from "./commits.ts";
import { type OnLine, PUSH_OPTIONS, type PushOutcome, pushOutcome } from "../call/log.ts";
import { RepositoryPart } from "../call/part.ts";

/** A tag. */
export interface Tag {
  /** Without `refs/tags/`. */
  readonly name: string;
  /** The tag object, or what a lightweight tag points to. */
  readonly object: Sha;
  /** The commit behind it; what else a tag may point to stands here as it is. */
  readonly commit: Sha;
  /** The first line of its message, or of the commit's. */
  readonly subject: string;
  /** When it was made, ISO 8601; empty when unknown. */
  readonly date: string;
}

/** What tells one commit from another. */
export interface CommitFacts {
  readonly commit: Sha;
  readonly parents: readonly Sha[];
  readonly subject: string;
  /** All of its message. */
  readonly message: string;
}

interface ReleasePush {
  /** What the branch gets; null for the tag alone. */
  readonly commit: Sha | null;
  readonly branch: Loose<BranchName>;
  /** The tags that go, or none of them. */
  readonly tags: readonly string[];
  /** `origin` when absent. */
  readonly remote?: string;
  readonly onLine?: OnLine;
}

/** The release part of git. Reached as `git.at(directory).part(Releases)`. */
export class Releases extends RepositoryPart {
  /** All tags. One process. */
  async tags(): Promise<Tag[]> {
    const output = await this.git.read([
      "for-each-ref",
      "--format=%(refname:lstrip=2)%00%(objectname)%00%(*objectname)%00%(contents:subject)%00%(creatordate:iso-strict)",
      "refs/tags",
    ], `read the tags of "${this.git.name}"`);
    return output.split("\n").filter((line) => line !== "").map((line) => {
      const [name = "", object = "", peeled = "", subject = "", date = ""] = line.split("\0");
      return {
        name,
        object: sha(object),
        commit: sha(peeled === "" ? object : peeled),
        subject,
        date,
      };
    });
  }

  /** The names of the tags whose commits a ref has; null where there is no such ref. One process. */
  async tagsIn(ref: string): Promise<Set<string> | null> {
    const result = await this.git.ask(
      ["for-each-ref", "--format=%(refname:lstrip=2)", `--merged=${ref}`, "refs/tags"],
      { access: "read" },
      `read which tags ${ref} has`,
    );
    return result && new Set(result.stdout.split("\n").filter((name) => name !== ""));
  }

  /** The lines that begin with some text, of all messages that a ref has. One process. */
  async linesWith(ref: string, start: string): Promise<string[]> {
    const output = await this.git.read([
      "log",
      "--no-show-signature",
      "--format=%B",
      "--basic-regexp",
      `--grep=^${start}`,
      "--end-of-options",
      ref,
      "--",
    ], `read the releases of "${this.git.name}"`);
    return output.split("\n").filter((line) => line.startsWith(start));
  }

  /**
   * How many commits HEAD has that `from` does not, or all with null; those whose message matches `except`, a
   * basic regular expression, are left out. One process.
   */
  async countSince(
    from: string | null,
    except: string,
  ): Promise<number> {
    const output = await this.git.read([
      "rev-list",
      "--count",
      ...beyond(from, except),
    ], `count the commits of "${this.git.name}"`);
    return Number(output.trim());
  }

  /** The subjects of at most `limit` of those commits, newest first. One process. */
  async subjectsSince(
    { from, except, limit }: {
      readonly from: string | null;
      readonly except: string;
      readonly limit: number;
    },
  ): Promise<string[]> {
    const output = await this.git.read([
      "log",
      "--no-show-signature",
      "--format=%s",
      "-z",
      `--max-count=${limit}`,
      ...beyond(from, except),
    ], `read the commits of "${this.git.name}"`);
    return output.split("\0").filter((subject) => subject !== "");
  }

  /** The name new commits would carry, or null when git does not know one. One process. */
  async author(): Promise<string | null> {
    const result = await this.git.ask(
      ["var", "GIT_AUTHOR_IDENT"],
      { access: "read", settings: IDENTITY_REQUIRED },
      "ask git for the author of new commits",
    );
    return result === null ? null : /^(.*) </.exec(result.stdout)?.[1] ?? "";
  }

  /** Those of some files that git tracks. One process. */
  async tracked(files: readonly string[]): Promise<string[]> {
    const output = await this.git.read(
      ["ls-files", "-z", "--", ...literal(files)],
      `list the files of "${this.git.name}"`,
    );
    return output.split("\0").filter((name) => name !== "");
  }

  /** The facts of the commit a revision names, or null. One process. */
  async commitFacts(revision: string): Promise<CommitFacts | null> {
    const result = await this.git.ask(
      [
        "log",
        "--no-show-signature",
        "--max-count=1",
        "--format=%H%x00%P%x00%s%x00%B",
        "--end-of-options",
        revision,
        "--",
      ],
      { access: "read" },
      `look up ${revision}`,
    );
    if (result === null || result.stdout === "") return null;
    const [commit = "", parents = "", subject = "", message = ""] = result.stdout.trimEnd().split(
      "\0",
    );
    return {
      commit: sha(commit),
      parents: parents === "" ? [] : parents.split(" ").map(sha),
      subject,
      message,
    };
  }

  /** The files in which a commit differs from another one. One process. */
  async filesBetween(from: string, to: string): Promise<string[]> {
    const output = await this.git.read([
      "diff-tree",
      "-r",
      "-z",
      "--no-renames",
      "--name-only",
      "--end-of-options",
      from,
      to,
    ], `compare commits of "${this.git.name}"`);
    return output.split("\0").filter((name) => name !== "");
  }

  /** Commits exactly some tracked files as they are on the disk, with the user's hooks; what else is staged stays so. Two processes, and two where hooks staged something. */
  async commitFiles(
    files: readonly string[],
    message: string,
    onLine?: OnLine,
  ): Promise<void> {
    await this.git.inTurn(async () => {
      await this.git.must(
        ["commit", "--file=-", "--cleanup=verbatim", "--only", "--", ...literal(files)],
        {
          access: "write",
          stdin: lineEnded(message),
          onLine,
          reflog: RELEASE_REFLOG,
          settings: IDENTITY_REQUIRED,
        },
        `commit the release of "${this.git.name}"`,
      );
      await takeHooksIn(this.git, files);
    });
  }

  /** Makes the index say of some files what HEAD says; the files stay as they are. One process. */
  async unstage(files: readonly string[]): Promise<void> {
    await this.git.inTurn(() =>
      this.git.must(
        ["reset", "--quiet", "HEAD", "--", ...literal(files)],
        { access: "internal" },
        `unstage files of "${this.git.name}"`,
      )
    );
  }

  /** Makes an annotated tag, signed where the user's configuration says so. One process. */
  async tag(
    { name, commit, message }: {
      readonly name: string;
      readonly commit: Sha;
      readonly message: string;
    },
  ): Promise<void> {
    await this.git.must(
      ["tag", "--annotate", "--file=-", "--cleanup=verbatim", "--", name, commit],
      { access: "internal", stdin: lineEnded(message) },
      `tag "${this.git.name}" as ${name}`,
    );
  }

  /**
   * Pushes one commit to one branch and tags, all or none, never with force, never other tags; without a commit only
   * the tags. One process, network.
   */
  async push(
    { commit, branch, tags, remote = "origin", onLine }: ReleasePush,
  ): Promise<PushOutcome> {
    const result = await this.git.run(
      [
        "push",
        ...PUSH_OPTIONS,
        "--atomic",
        "--end-of-options",
        remote,
        ...(commit === null ? [] : [`${commit}:refs/heads/${branch}`]),
        ...tags.map((tag) => `refs/tags/${tag}:refs/tags/${tag}`),
      ],
      { access: "write", network: true, onLine },
    );
    return pushOutcome(result);
  }
}

/** The arguments that choose what HEAD has and `from` does not, without the commits whose message matches `except`. */
function beyond(from: string | null, except: string): string[] {
  const range = from === null ? "HEAD" : `${from}..HEAD`;
  return ["--basic-regexp", "--invert-grep", `--grep=${except}`, "--end-of-options", range, "--"];
}
