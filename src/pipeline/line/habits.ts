/** Words that other programs have taught people, each with the command that is meant. */

const HABITS: Readonly<Record<string, string>> = {
  add: "Changes are committed together: amof push --commit",
  branch: "A branch in every repository is a ticket: amof ticket start ID",
  cd:
    "Print where a repository is: amof path REPO\nA shell function that goes there: amof shell-init",
  checkout: "Go to the branches of a ticket: amof ticket switch ID",
  clone: "Clone every repository of an ecosystem: amof install",
  create: "Begin an ecosystem: amof ecosystem create NAME",
  delete: "Delete a workspace: amof discard\nKeep a record of it: amof archive",
  deploy: "Deploy the environment: amof spin deploy",
  destroy: "Destroy the environment: amof spin destroy",
  down: "Destroy the environment: amof spin destroy",
  each: "Run a program in every repository: amof exec -- PROGRAM",
  edit: "Open a repository in your editor: amof open REPO\nThe settings: amof config edit",
  export: "Write the list for another tool: amof lock --format repos",
  fetch: "Ask the remotes while looking: amof status --fetch\nFetch and fast-forward: amof sync",
  forall: "Run a program in every repository: amof exec -- PROGRAM",
  foreach: "Run a program in every repository: amof exec -- PROGRAM",
  freeze: "Write down the commits of all repositories: amof lock",
  import: "Take over the list of another tool: amof ecosystem create NAME --from FILE",
  info: "Describe an ecosystem: amof ecosystem describe",
  init: "Begin an ecosystem: amof ecosystem create NAME\nThen get its repositories: amof install",
  list:
    "List the ecosystems: amof ecosystem list\nList the tickets: amof ticket list\nList the runs: amof runs list",
  ll: "See how every repository stands: amof status",
  logs: "Read the log of a run: amof runs logs",
  ls: "List the ecosystems: amof ecosystem list\nSee the repositories of one: amof status",
  merge: "Merging is left to git\nTake in what the remotes have: amof sync",
  new: "Begin an ecosystem: amof ecosystem create NAME",
  pr: "Open the page of a repository: amof open REPO --web",
  ps: "See what is running: amof runs active",
  pull: "Fetch and fast-forward every repository: amof sync",
  rebase: "Rebasing is left to git\nTake in what the remotes have: amof sync",
  remote: "See the remotes of the repositories: amof ecosystem describe",
  remove: "Delete a workspace: amof discard\nKeep a record of it: amof archive",
  repos: "See the repositories: amof ecosystem describe",
  restore: "Bring an archived workspace back: amof archive restore",
  rm: "Delete a workspace: amof discard\nKeep a record of it: amof archive",
  shell: "Run a program in every repository: amof exec -- PROGRAM",
  st: "See how every repository stands: amof status",
  start: "One branch in every repository is a ticket: amof ticket start ID",
  stash: "Put changes away while going to a ticket: amof ticket switch ID --stash",
  stop: "End a run: amof runs cancel",
  switch:
    "Go to the branches of a ticket: amof ticket switch ID\nGo to an ecosystem: amof ecosystem switch NAME",
  tag: "See which version can follow: amof release status",
  up: "Deploy the environment: amof spin deploy",
  update: "Fetch and fast-forward every repository: amof sync",
  upload: "Send the commits of every repository: amof push",
  validate:
    "Check the manifest: amof manifest validate\nCheck what a release needs: amof release validate",
  version: "See the version: amof --version",
};

/** What to do instead of a command that does not exist, or null. */
export function habitHint(word: string): string | null {
  return Object.hasOwn(HABITS, word) ? HABITS[word] ?? null : null;
}

/** The words. */
export const HABIT_WORDS: readonly string[] = Object.keys(HABITS);

/** Every hint, for a test that pastes them all. */
export const HABIT_HINTS: readonly string[] = Object.values(HABITS);
