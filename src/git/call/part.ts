/** What the parts of a repository have in common. */

import type { Runner } from "./runner.ts";

/** A part of a repository: what is asked or changed there of one kind. */
export class RepositoryPart {
  /** Git in the repository. */
  protected readonly git: Runner;

  constructor(git: Runner) {
    this.git = git;
  }
}
