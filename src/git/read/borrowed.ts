/** A clone that reads objects of other repositories. Reached as `git.at(directory).borrowed`. */

import { join } from "@std/path";
import { maskSecrets } from "../../base/text/mask.ts";
import { commonDirectory } from "../files/directory.ts";
import { reason } from "../call/failure_kind.ts";
import { RepositoryPart } from "../call/part.ts";

/** A clone that borrows. */
export class Borrowed extends RepositoryPart {
  /**
   * What git says where it cannot follow all that its branches, tags and stashes have besides what its remote has; null
   * where everything is there. One process.
   */
  async trouble(): Promise<string | null> {
    let said = "";
    const result = await this.git.ask(
      [
        "rev-list",
        "--objects",
        "--quiet",
        // What a clone left out is no loss: its remote has it. `--missing` lets newer ones pass over a branch whose commit is gone.
        "--exclude-promisor-objects",
        "--all",
        "--not",
        "--remotes=origin",
      ],
      { access: "read", patient: true },
      `look for objects of "${this.git.name}"`,
      (no) => {
        said = maskSecrets(reason(no));
        return true;
      },
    );
    return result === null ? said : null;
  }

  /** The names of objects that are needed and not there, in order. One process. */
  async missing(): Promise<string[]> {
    const result = await this.git.run(
      ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"],
      { access: "read", patient: true },
    );
    const named = `${result.stdout}\n${result.stderr}`.matchAll(
      /^(?:missing (?:commit|tree|blob|tag) |error: \S+: invalid (?:sha1|object) pointer |\s+to\s+\w+\s+)([0-9a-f]{40,64})$/gm,
    );
    return [...new Set([...named].map(([, id = ""]) => id))].filter((id) => !/^0+$/.test(id))
      .sort();
  }

  /**
   * Copies what is borrowed, and borrows no more; false where nothing was borrowed. Nothing of the clone goes, whether
   * anything needs it or not. Two processes.
   */
  async end(): Promise<boolean> {
    const { files } = this.git.system;
    const common = await commonDirectory(this.git.system, this.git.directory);
    if (common === null) return false;
    const alternates = join(common, "objects", "info", "alternates");
    // A file that a killed process had set aside counts until nothing of it is needed.
    const aside = `${alternates}.amof-ended`;
    if (await files.lstat(alternates) === null) {
      if (await files.lstat(aside) === null) return false;
      await files.rename(aside, alternates);
    }
    const what = `make "${this.git.name}" independent`;
    await this.git.must(
      ["repack", "-a", "-d", "-q", "--keep-unreachable"],
      { access: "internal", patient: true },
      what,
    );
    await files.rename(alternates, aside);
    try {
      await this.git.must(
        [
          "rev-list",
          "--objects",
          "--quiet",
          "--exclude-promisor-objects",
          "--all",
          "--reflog",
          "--indexed-objects",
        ],
        { access: "read", patient: true },
        what,
      );
    } catch (error) {
      await files.rename(aside, alternates);
      throw error;
    }
    await files.remove(aside);
    return true;
  }
}
