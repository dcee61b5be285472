/** What a coding agent is told of amof, in the form of a skill: a SKILL.md. */

import type { Fields } from "../../base/object.ts";
import { AMOF_COMMANDS } from "./commands.ts";

/** The member of its head that says which version it came with; other files for agents have it, too. */
export const MARK = "agentpack_version";

const DESCRIPTION =
  "Works on many git repositories as one with the command line amof: status, sync, tickets, commits, pushes, releases. Use it when a task touches several repositories of an ecosystem, or when the user names amof, an ecosystem or a ticket over repositories.";

/** What has to be known of modes, tickets, programs and undo, whatever the single commands say. */
const SUBJECTS = `## Modes

\`--mode ask\` only explains a change, \`--mode plan\` previews it like \`--dry-run\`, \`--mode execute\` is what holds
without it. Whoever sets AMOF_MAX_MODE has lowered that for you: do not get around it, say what you would do.

## Tickets

1. \`amof ticket start PROJ-1 --repo api --repo web --json\` makes the branches, all or none. With \`--workspace\` the
   ticket gets a directory with clones of its own: when another ticket is active, or somebody works in the clones.
   \`amof ticket env PROJ-1 --json\` names it; commands mean it where they run in it, or with \`-t PROJ-1\`.
2. Edit the files, then \`amof diff --json\`, \`amof commit -m MESSAGE --json\` and \`amof push --json\`, which ask.
3. \`amof ticket update PROJ-1 --json\` brings in the base branches, \`amof ticket conflicts --json\` looks ahead.
4. \`amof ticket end PROJ-1 --json\` goes back to the base branches and keeps those of the ticket; \`--cleanup\` deletes
   them, on the remotes too, and asks. \`--force\` and \`--discard-local\` give up work: never by yourself.

## Programs

\`amof exec --repo api --json -- npm test\` starts a program in each repository, without a shell, and nobody is asked:
tell the user first what runs where, unless it only reads. \`amof tasks --json\` lists what the manifest gives a name,
\`amof run TASK --json\` runs it. Each repository has its \`outcome\`; \`amof exec --retry-failed RUN --json\` repeats it
where it did not succeed.

## Undo

The answer of what changed repositories has \`undo\`, also after \`exec\`; \`amof operations --json\` lists all of them, and
\`amof operations show RUN --json\` what one changed. \`amof undo RUN --dry-run --json\` shows what would go back, and
\`amof undo RUN --json\` asks. \`undo_stale\` names what was changed since: there is no way to force it. Remotes stay as
they are, so what was pushed is there; releases cannot be undone, and what was archived comes back with
\`amof archive restore\`.
`;

/** The skill, as of a version: its head, and its SKILL.md. */
export function amofSkill(version: string): { readonly head: Fields; readonly text: string } {
  const rows = AMOF_COMMANDS.map(([words, consent, summary]) =>
    `| \`${words}\` | ${consent} | ${summary.replaceAll("|", "\\|")} |`
  );
  const head = { name: "amof", description: DESCRIPTION, [MARK]: version };
  const text = `---
name: ${head.name}
description: ${JSON.stringify(DESCRIPTION)}
${MARK}: ${JSON.stringify(version)}
---

# Working with amof

The repositories of an ecosystem are operated as one: the manifest in the control repository names them, the
workspace holds a clone of each. Edit files in the clones as usual, and use this tool for what concerns several
of them.

- Always pass \`--json\`: standard output is one object. On failure it has \`error\`, \`message\` and \`hint\`; decide by
  \`error\` and the exit code, never by texts. \`--json=FIELD,FIELD\` keeps it short.
- Look first: \`amof status --json\`. In which directory a repository is: \`amof path NAME\`.
- Before a change run the same command with \`--dry-run\`, which does nothing, and tell the user what would happen.
- A command that asks ends with exit code 4, \`confirmation_required\`, a preview and a token. Show the preview to the
  user. Only when they agree run \`amof confirm TOKEN\`: it does exactly what was shown, once, within five minutes.
- Never consent by yourself: no \`--yes\`, no \`--confirm-name\`, and no flag that lifts a guard, unless the user said so
  for this very change. What only a person approves (\`amof approve\`, \`amof repo trust\`, \`amof exec trust\`,
  \`amof spin trust\`) is theirs: say which command it is, and why.
- \`--repo NAME\`, \`--tag NAME\` and \`--only dirty\` choose repositories; \`-e NAME\` the ecosystem, \`--root DIR\` the
  control repository.
- Exit codes: 0 done, 1 failed, 2 wrong input, 3 a check found something, 4 refused, 5 partly done, 6 busy. When busy
  see \`amof runs active --json\`; what a run printed: \`amof runs logs --json\`.
- The page of a command, with its flags and examples: the command with \`--help\`.

${SUBJECTS}
## Which command

"at once" is what a command does as it stands: with some flags, such as \`--cleanup\`, it asks.

| command | consent | what it does |
| ------- | ------- | ------------ |
${rows.join("\n")}
`;
  return { head, text };
}
