/**
 * What undo cannot take back of a release, said before it is made (UNDO-7).
 *
 * @module
 */

/** What stays of a release, for one that is pushed and for one that is not. */
export function releaseLasts(pushed: boolean): string {
  return pushed
    ? "what is pushed"
    : "a release; as nothing is pushed, git can: git tag -d TAG and git reset --hard HEAD~1";
}
