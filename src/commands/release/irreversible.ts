/** What undo cannot take back of a release, said before it is made (UNDO-7). */

/** What stays of a release, for one that is pushed and for one that is not. */
export function releaseIrreversible(pushed: boolean): string {
  return pushed
    ? "what is pushed"
    : "a release; as nothing is pushed, git can: git tag -d TAG and git reset --hard HEAD~1";
}

/**
 * The repositories whose commits, tags and files undo brings back after a train: those that it releases and does not
 * push. Nobody takes back what others may have fetched.
 */
export function trainChanges(
  { push, repos }: {
    readonly push: boolean;
    readonly repos: readonly { readonly name: string; readonly action: "release" | "push" }[];
  },
): { readonly repos: readonly string[]; readonly what: "names" } {
  const released = repos.filter(({ action }) => action === "release");
  return { repos: push ? [] : released.map(({ name }) => name), what: "names" };
}

/** What stays of a train, for one that is pushed and for one that is not. */
export function trainIrreversible({ push }: { readonly push: boolean }): string {
  return push ? "what is pushed" : "the train's record in the control repository";
}
