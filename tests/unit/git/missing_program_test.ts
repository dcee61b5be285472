// Which program git could not start, by what it and the shell print, recorded from git 2.39.

import { assertEquals } from "@std/assert";
import { classifyGitFailure, gitFailure } from "../../../src/git/mod.ts";
import { missingProgram } from "../../../src/git/call/failure_kind.ts";
import { failed } from "./_failures.ts";

const MISSING: readonly (readonly [stderr: string, program: string | null])[] = [
  // A filter that is a process, at a checkout and at an add; then one that is started for each file.
  [
    "git-lfs filter-process: 1: git-lfs: not found\nfatal: the remote end hung up unexpectedly\nwarning: Clone succeeded, but checkout failed.\n",
    "git-lfs",
  ],
  [
    "git-crypt x: 1: git-crypt: not found\nerror: packet write with format failed\nerror: Could not write client identification\nfatal: a.bin: clean filter 'lfs' failed\n",
    "git-crypt",
  ],
  [
    "/opt/x smudge 'a.bin': 1: /opt/x: not found\nerror: external filter '/opt/x smudge %f' failed 127\nfatal: a.bin: smudge filter lfs failed\n",
    "/opt/x",
  ],
  [
    "bash: line 1: nbstripout: command not found\nerror: external filter 'nbstripout' failed 127\nfatal: a: clean filter 'nb' failed\n",
    "nbstripout",
  ],
  [
    "zsh:1: command not found: nbstripout\nerror: external filter 'nbstripout' failed 127\n",
    "nbstripout",
  ],
  // Other programs that git starts.
  ["error: cannot run gpg: No such file or directory\nerror: gpg failed to sign the data\n", "gpg"],
  ["error: cannot run ssh: No such file or directory\nfatal: unable to fork\n", "ssh"],
  ["myssh -x: 1: myssh: not found\nfatal: Could not read from remote repository.\n", "myssh"],
  ["git: 'remote-codecommit' is not a git command. See 'git --help'.\n", "git-remote-codecommit"],
  ["git: 'lfs' is not a git command. See 'git --help'.\n", "git-lfs"],
  [
    "\nThis repository is configured for Git LFS but 'git-lfs' was not found on your path. If you\n",
    "git-lfs",
  ],
  // What is missing elsewhere, or is no reason.
  [
    "bash: git-upload-pack: command not found\nfatal: Could not read from remote repository.\n",
    null,
  ],
  ["remote: sh: 1: deploy: not found\nfatal: the remote end hung up unexpectedly\n", null],
  [
    "git: 'credential-store2' is not a git command.\nfatal: could not read Username for 'https://h'\n",
    null,
  ],
  [".git/hooks/pre-commit: 3: notify: not found\nlint failed\n", null],
  ["ssh: Could not resolve hostname h: Name or service not known\n", null],
];

Deno.test("a program that is missing is told by its name, and no failure of a network", () => {
  for (const [stderr, program] of MISSING) {
    assertEquals(missingProgram(stderr), program, stderr);
    const error = gitFailure(failed({ stderr }), 'clone "api"', "api", {
      cwd: "/r",
      network: true,
    });
    assertEquals(error.code === "program_missing", program !== null, stderr);
    if (program !== null) {
      assertEquals(
        error.message,
        `Cannot clone "api": ${program} is not installed, or not on PATH`,
      );
    }
  }
});

Deno.test("a filter that fails is no failure of a network", () => {
  const smudge = "error: external filter 'x %f' failed 1\nfatal: a.bin: smudge filter lfs failed\n";
  const hung = "fatal: the remote end hung up unexpectedly\n";
  const kinds = [
    smudge,
    `${hung}warning: Clone succeeded, but checkout failed.\n`,
    "fatal: a.bin: clean filter 'lfs' failed\n",
  ].map((stderr) => classifyGitFailure(failed({ stderr })));
  assertEquals(kinds, ["filter", "filter", "filter"]);
  // The advice holds where it is read: there is no clone, or it is named.
  const advice = (call: { cwd: string; network?: boolean }) =>
    gitFailure(failed({ stderr: smudge }), "x", "api", call).hint;
  const look = "config --show-origin --get-regexp '^filter[.]'";
  assertEquals([advice({ cwd: "/r" }), advice({ cwd: "/r", network: true })], [
    `See how filters are set: git -C /r ${look}`,
    `See how filters are set: git ${look}`,
  ]);
  // Where nothing but a filter is at the other end.
  const ofCall = (call: { cwd: string; network?: boolean }) =>
    gitFailure(failed({ stderr: hung }), "x", "api", call).details["kind"];
  assertEquals([ofCall({ cwd: "/r" }), ofCall({ cwd: "/r", network: true })], [
    "filter",
    "network",
  ]);
});
