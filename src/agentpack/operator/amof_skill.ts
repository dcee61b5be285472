/**
 * The skill for agents that have a shell and work on many repositories at once (PACK-57). Which commands there are comes
 * from their declarations.
 *
 * @module
 */

import { AMOF_COMMANDS } from "./amof_commands.ts";

const DESCRIPTION =
  "Works on many git repositories as one with the command line amof: status, sync, tickets, commits, pushes, releases. Use it when a task touches several repositories of an ecosystem, or when the user names amof, an ecosystem or a ticket over repositories.";

/** The text of the skill; `mark` is the line that says which version it came with. */
export function amofSkill(mark: string): string {
  const rows = AMOF_COMMANDS.map(([words, consent, summary]) =>
    `| \`${words}\` | ${consent} | ${summary.replaceAll("|", "\\|")} |`
  );
  return `---
name: amof
description: ${JSON.stringify(DESCRIPTION)}
${mark}
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
  for this very change. What only a person approves (\`amof approve\`, \`amof spin trust\`) is theirs.
- \`--repo NAME\`, \`--tag NAME\` and \`--only dirty\` choose repositories; \`-e NAME\` the ecosystem, \`--root DIR\` the
  control repository.
- Exit codes: 0 done, 1 failed, 2 wrong input, 3 a check found something, 4 refused, 5 partly done, 6 busy. When busy
  see \`amof runs active --json\`; what a run printed: \`amof runs logs --json\`.
- The page of a command, with its flags and examples: the command with \`--help\`.

## Which command

| command | consent | what it does |
| ------- | ------- | ------------ |
${rows.join("\n")}
`;
}
