/** Brings local branches to their remotes, before those are asked whether they have everything. */

/** A branch that is pushed under its own name. */
export interface PushPlan {
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
  /** Commits that no remote-tracking branch has. */
  readonly commits: number;
}
