// Covers classifyGitFailure(), reason(), tail() and gitFailure(): on failures of the installed git where
// they can be produced without a network, on recorded messages elsewhere.

import { sha } from "../../../src/ids.ts";
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../src/error.ts";
import {
  classifyGitFailure,
  Git,
  type GitErrorKind,
  gitFailure,
  type PushOutcome,
  reason,
  tail,
} from "../../../src/git/mod.ts";
import { logLines } from "../../../src/git/log.ts";
import type { ProcessResult } from "../../../src/system/mod.ts";
import { World } from "../../support/world.ts";
import { hermetic } from "../_support.ts";
import { clone, commit, nothing } from "./_support.ts";

function failed(fields: Partial<ProcessResult> = {}): ProcessResult {
  return {
    command: "git",
    args: ["fetch"],
    exitCode: 128,
    signal: null,
    timedOut: false,
    cancelled: false,
    startError: null,
    stdout: "",
    stderr: "",
    truncated: false,
    durationMs: 12_300,
    ...fields,
  };
}

async function refusedPush(world: World, path: string, branch = "main"): Promise<PushOutcome> {
  const head = await world.git(path, "rev-parse", "HEAD");
  const outcome = await new Git(hermetic(world)).at(path).remotes.push({
    commit: sha(head),
    branch,
    onLine: nothing,
  });
  assertEquals(outcome.ok, false);
  return outcome;
}

// On real failures.

Deno.test("classifyGitFailure() tells a directory that is no repository", async () => {
  await using world = await World.make();
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(world.directory, "api").status(),
    AmofError,
  );
  assertEquals([error.code, error.details["kind"]], ["git_failed", "not_a_repo"]);
});

Deno.test("classifyGitFailure() tells a push that is no fast-forward", async () => {
  await using world = await World.make();
  const [ours, theirs] = [await clone(world, "ours"), await clone(world, "theirs")];
  await commit(world, theirs, "theirs.txt");
  await world.git(theirs, "push", "--quiet");
  await commit(world, ours, "ours.txt");
  assertEquals(classifyGitFailure((await refusedPush(world, ours)).result), "non_fast_forward");
});

Deno.test("classifyGitFailure() tells a push behind its remote that is known to be so", async () => {
  await using world = await World.make();
  const [ours, theirs] = [await clone(world, "ours"), await clone(world, "theirs")];
  await commit(world, theirs, "theirs.txt");
  await world.git(theirs, "push", "--quiet");
  await commit(world, ours, "ours.txt");
  await world.git(ours, "fetch", "--quiet");
  assertEquals(classifyGitFailure((await refusedPush(world, ours)).result), "non_fast_forward");
});

Deno.test("classifyGitFailure() tells a push that a hook of the remote declines", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await world.write(
    "remotes/api.git/hooks/pre-receive",
    "#!/bin/sh\necho 'not on a Friday' >&2\nexit 1\n",
  );
  await Deno.chmod(join(world.remotes, "api.git/hooks/pre-receive"), 0o755);
  await commit(world, path, "work.txt");
  const outcome = await refusedPush(world, path);
  assertEquals(classifyGitFailure(outcome.result), "remote_rejected");
  assertStringIncludes(outcome.reason ?? "", "pre-receive hook declined");
  assertStringIncludes(outcome.result.stderr, "not on a Friday");
});

Deno.test("classifyGitFailure() tells a push onto a branch below an existing one from a lock", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await commit(world, path, "work.txt");
  assertEquals(
    classifyGitFailure((await refusedPush(world, path, "main/sub")).result),
    "remote_rejected",
  );
});

Deno.test("classifyGitFailure() tells a remote path that leads nowhere", async () => {
  await using world = await World.make();
  const error = await assertRejects(
    () =>
      new Git(hermetic(world)).at(world.directory, "api").remotes.clone({
        url: join(world.directory, "no.git"),
        directory: "x",
        branch: "main",
        onLine: nothing,
      }),
    AmofError,
  );
  assertEquals(error.details["kind"], "not_found");
  assertStringIncludes(error.hint ?? "", "git ls-remote --heads URL");
});

Deno.test("classifyGitFailure() tells a remote that has gone from the network", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await Deno.remove(join(world.remotes, "api.git"), { recursive: true });
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(path, "api").remotes.branches("origin"),
    AmofError,
  );
  assertEquals([error.code, error.details["kind"]], ["git_failed", "not_a_repo"]);
});

Deno.test("classifyGitFailure() tells a branch the remote does not have", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  const error = await assertRejects(
    () =>
      new Git(hermetic(world)).at(world.directory, "api").remotes.clone({
        url: world.url("api"),
        directory: "x",
        branch: "nope",
        onLine: nothing,
      }),
    AmofError,
  );
  assertEquals(error.details["kind"], "not_found");
});

Deno.test("classifyGitFailure() tells an index that another process holds", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await Deno.writeTextFile(join(path, "new.txt"), "x");
  await Deno.writeTextFile(join(path, ".git", "index.lock"), "");
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(path, "api").commits.all("x", nothing),
    AmofError,
  );
  assertEquals(error.details["kind"], "lock");
  assertStringIncludes(error.hint ?? "", "Another git process");
});

Deno.test("classifyGitFailure() tells a ref that another process holds", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await Deno.writeTextFile(join(path, ".git", "refs", "heads", "topic.lock"), "");
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(path, "api").branches.create("topic"),
    AmofError,
  );
  assertEquals(error.details["kind"], "lock");
});

Deno.test("classifyGitFailure() does not take a branch in the way of another for a lock", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(path, "api").branches.create("main/sub"),
    AmofError,
  );
  assertEquals(error.details["kind"], "other");
  assertStringIncludes(error.message, "refs/heads/main");
});

Deno.test("classifyGitFailure() tells that git is not installed", async () => {
  await using world = await World.make();
  const system = hermetic(world, { PATH: join(world.directory, "home") });
  const error = await assertRejects(() => new Git(system).version(world.directory), AmofError);
  assertEquals([error.details["kind"], error.message], [
    "no_git",
    "Cannot ask git for its version: git was not found on PATH",
  ]);
});

Deno.test("classifyGitFailure() tells a call that was cancelled", async () => {
  await using world = await World.make();
  const signal = AbortSignal.abort();
  const error = await assertRejects(
    () => new Git(hermetic(world), signal).version(world.directory),
    AmofError,
  );
  assertEquals([error.code, error.message], [
    "cancelled",
    "Stopped while trying to ask git for its version",
  ]);
});

// On recorded messages.

const RECORDED: readonly (readonly [string, GitErrorKind, string])[] = [
  [
    "an unknown host over HTTPS",
    "network",
    "fatal: unable to access 'https://nope.invalid/x.git/': Could not resolve host: nope.invalid",
  ],
  [
    "an unknown host over SSH",
    "network",
    "ssh: Could not resolve hostname nope.invalid: Name or service not known\nfatal: Could not read from remote repository.",
  ],
  [
    "a refused connection",
    "network",
    "fatal: unable to access 'https://localhost:1/x/': Failed to connect to localhost port 1: Connection refused",
  ],
  [
    "a closed SSH connection",
    "network",
    "kex_exchange_identification: Connection closed by remote host\nfatal: Could not read from remote repository.",
  ],
  [
    "a transfer that breaks off",
    "network",
    "error: RPC failed; curl 18 transfer closed\nfatal: the remote end hung up unexpectedly\nfatal: early EOF",
  ],
  [
    "an untrusted certificate (OpenSSL)",
    "certificate",
    "fatal: unable to access 'https://x/': SSL certificate problem: self signed certificate",
  ],
  [
    "an untrusted certificate (GnuTLS)",
    "certificate",
    "fatal: unable to access 'https://x/': server certificate verification failed. CAfile: none CRLfile: none",
  ],
  [
    "a server that fell silent",
    "timeout",
    "fatal: unable to access 'https://x/': Operation too slow. Less than 1 bytes/sec transferred the last 60 seconds",
  ],
  [
    "a server error",
    "network",
    "fatal: unable to access 'https://x/': The requested URL returned error: 503",
  ],
  [
    "a wrong password",
    "auth",
    "remote: Invalid username or password.\nfatal: Authentication failed for 'https://x/'",
  ],
  [
    "a password nobody can be asked for",
    "auth",
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
  ],
  [
    "a missing SSH key",
    "auth",
    "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
  ],
  [
    "an SSH key without rights",
    "auth",
    "ERROR: Permission to org/repo.git denied to someone.\nfatal: Could not read from remote repository.",
  ],
  [
    "an account without rights",
    "auth",
    "remote: Permission to org/repo.git denied to someone.\nfatal: unable to access 'https://x/': The requested URL returned error: 403",
  ],
  [
    "an unknown host key",
    "host_key",
    "Host key verification failed.\nfatal: Could not read from remote repository.",
  ],
  [
    "an unknown repository over SSH",
    "not_found",
    "ERROR: Repository not found.\nfatal: Could not read from remote repository.",
  ],
  [
    "an unknown repository over HTTPS",
    "not_found",
    "remote: Repository not found.\nfatal: repository 'https://github.com/x/y.git/' not found",
  ],
  [
    "a repository of another user",
    "unsafe_owner",
    "fatal: detected dubious ownership in repository at '/srv/x'",
  ],
  [
    "a full disk",
    "disk_full",
    "fatal: write error: No space left on device",
  ],
  [
    "a read-only directory",
    "read_only",
    "fatal: Unable to create '/x/.git/index.lock': Permission denied",
  ],
  [
    "a protected branch",
    "remote_rejected",
    "remote: error: GH006: Protected branch update failed for refs/heads/main.\n ! [remote rejected] main -> main (protected branch hook declined)",
  ],
  [
    "changes in the way",
    "in_the_way",
    "error: Your local changes to the following files would be overwritten by checkout:\n\tfile.txt",
  ],
  ["anything else", "other", "fatal: something new"],
];

for (const [what, kind, stderr] of RECORDED) {
  Deno.test(`classifyGitFailure() tells ${what}: ${kind}`, () => {
    assertEquals(classifyGitFailure(failed({ stderr })), kind);
  });
}

Deno.test("classifyGitFailure() believes the facts of the process before any text", () => {
  const stderr = "fatal: Authentication failed";
  assertEquals(classifyGitFailure(failed({ stderr, timedOut: true })), "timeout");
  assertEquals(
    classifyGitFailure(failed({ stderr, cancelled: true, timedOut: true })),
    "cancelled",
  );
  assertEquals(classifyGitFailure(failed({ stderr, startError: "not_found" })), "no_git");
});

// The error made of a failure.

const CODES: readonly (readonly [string, Partial<ProcessResult>])[] = [
  ["auth_failed", { stderr: "fatal: Authentication failed for 'x'" }],
  ["remote_unreachable", { stderr: "fatal: Could not resolve host: x" }],
  ["timeout", { timedOut: true }],
  ["cancelled", { cancelled: true }],
  ["git_failed", { stderr: "fatal: anything" }],
];

for (const [code, fields] of CODES) {
  Deno.test(`gitFailure() of its kind has the code ${code}`, () => {
    assertEquals<string>(gitFailure(failed(fields), "fetch", null).code, code);
  });
}

Deno.test("gitFailure() carries repo, kind, arguments, exit code and the end of stderr", () => {
  const stderr = Array.from({ length: 12 }, (_, line) => `line ${line}`).join("\n");
  assertEquals(gitFailure(failed({ stderr }), "fetch", "api").details, {
    repo: "api",
    kind: "other",
    reason: "line 11",
    args: ["fetch"],
    exit_code: 128,
    stderr_tail: stderr.split("\n").slice(2),
  });
});

Deno.test("gitFailure() leaves out the repository where there is none", () => {
  assertEquals("repo" in gitFailure(failed(), "fetch", null).details, false);
});

Deno.test("gitFailure() masks credentials in arguments, message and stderr", () => {
  const url = "https://me:hunter2@host/x.git";
  const error = gitFailure(
    failed({ args: ["clone", url], stderr: `fatal: unable to access '${url}'` }),
    "clone",
    null,
  );
  assertEquals(JSON.stringify([error.message, error.details]).includes("hunter2"), false);
  assertStringIncludes(error.message, "https://***@host/x.git");
});

Deno.test("gitFailure() says how long it waited in vain", () => {
  assertEquals(
    gitFailure(failed({ timedOut: true }), "fetch", null).message,
    "Cannot fetch: git did not finish within 12 s",
  );
});

Deno.test("reason() is the first line in which git says what is wrong", () => {
  const stderr = "Cloning into 'x'...\nwarning: odd\nfatal: first\nfatal: second\nhint: help";
  assertEquals(reason(failed({ stderr })), "first");
});

Deno.test("reason() is what a hook said on standard output where git says nothing itself", () => {
  const stderr = "error: failed to push some refs to '../r.git'\n";
  const porcelain = "To ../r.git\n!\tHEAD:refs/heads/f\t[rejected]\nDone\n";
  assertEquals(
    reason(failed({ stderr, stdout: `checking\nno pushes on Sundays\n${porcelain}` })),
    "no pushes on Sundays",
  );
  assertEquals(reason(failed({ stderr: `not now\n${stderr}`, stdout: "checking\n" })), "not now");
  assertEquals(
    reason(failed({ stderr, stdout: porcelain })),
    "failed to push some refs to '../r.git'",
  );
});

Deno.test("reason() falls back to the last line, then to stdout, then to the exit code", () => {
  assertEquals(reason(failed({ stderr: "one\ntwo\n\n" })), "two");
  assertEquals(reason(failed({ stdout: "said so" })), "said so");
  assertEquals(reason(failed({ exitCode: 7 })), "exit code 7");
});

// Lines before the failure and git's advice after it are not the reason.
const AFTER =
  "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n";
const REASONS: readonly (readonly [string, string])[] = [
  [
    `Cloning into 'x'...\nssh: connect to host 127.0.0.1 port 1: Connection refused\n${AFTER}`,
    "ssh: connect to host 127.0.0.1 port 1: Connection refused",
  ],
  [
    `ssh: Could not resolve hostname nope.invalid: Name or service not known\n${AFTER}`,
    "ssh: Could not resolve hostname nope.invalid: Name or service not known",
  ],
  [
    `No ED25519 host key is known for host and you have requested strict checking.\nHost key verification failed.\n${AFTER}`,
    "Host key verification failed",
  ],
  [
    `@@@@@@@@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@@@@@@@@@\nHost key verification failed.\n${AFTER}`,
    "Host key verification failed",
  ],
  [`git@host: Permission denied (publickey).\n${AFTER}`, "git@host: Permission denied (publickey)"],
  [`ERROR: Repository not found.\n${AFTER}`, "Repository not found"],
  [
    `kex_exchange_identification: read: Connection reset by peer\nConnection reset by 127.0.0.1 port 22\n${AFTER}`,
    "Connection reset by 127.0.0.1 port 22",
  ],
  [
    "Cloning into 'x'...\nerror: unable to read askpass response from 'false'\nfatal: could not read Username for 'https://host': terminal prompts disabled\n",
    "could not read Username for 'https://host': terminal prompts disabled",
  ],
  [
    "remote: Permission to org/repo.git denied to someone.\nfatal: unable to access 'https://x/': The requested URL returned error: 403",
    "unable to access 'https://x/': The requested URL returned error: 403 (the remote says: Permission to org/repo.git denied to someone)",
  ],
  [
    "Receiving objects:  10% (1/10)\rReceiving objects:  20% (2/10)\nerror: RPC failed; curl 18 transfer closed\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output\n",
    "RPC failed; curl 18 transfer closed",
  ],
  ["fatal: the remote end hung up unexpectedly\n", "the remote end hung up unexpectedly"],
  ["remote: error: this repository moved\n", "this repository moved"],
];

for (const [stderr, expected] of REASONS) {
  Deno.test(`reason() finds: ${expected}`, () => {
    assertEquals(reason(failed({ stderr })), expected);
  });
}

Deno.test("pushing says why in the words of the hook that declined it", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await world.hook(
    join(world.remotes, "api.git"),
    "pre-receive",
    "echo 'not on a Friday' >&2\nexit 1",
  );
  await commit(world, path, "work.txt");
  const outcome = await refusedPush(world, path);
  assertEquals(
    outcome.reason,
    "[remote rejected] (pre-receive hook declined) (the remote says: not on a Friday)",
  );
});

Deno.test("gitFailure() says that there was no progress, and for how long", () => {
  const error = gitFailure(failed({ stalledMs: 60_000 }), "fetch", null);
  assertEquals([error.code, error.message], [
    "timeout",
    "Cannot fetch: there was no progress for 60 s",
  ]);
});

// A problem with git itself must not be taken for an answer.

const REFUSING: readonly (readonly [string, Record<string, string>, string])[] = [
  ["is missing", { PATH: "/nowhere" }, "git was not found on PATH"],
  ["does not trust the repository", { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" }, "git does not trust"],
];

for (const [what, env, found] of REFUSING) {
  Deno.test(`asking for what may not be there throws when git ${what}`, async () => {
    await using world = await World.make();
    const path = await clone(world);
    const git = new Git(hermetic(world, env));
    for (
      const ask of [
        () => git.at(path).refs.resolve("HEAD"),
        () => git.at(path).remotes.url("origin"),
        () => git.at(path).remotes.pushUrl("origin"),
        () => git.at(path).isIgnored("x"),
        () => git.at(path, "api").stashes.find("x"),
        () => git.at(path).history.isAncestor("HEAD", "HEAD"),
        () => git.at(path).history.countBetween("HEAD", "HEAD"),
        () => git.at(path, "api").history.unpushedCount(),
        () => git.at(path).commits.fileAt("HEAD", "README.md"),
        () => git.at(path).releases.commitFacts("HEAD"),
      ]
    ) {
      const error = await assertRejects(ask, AmofError);
      assertStringIncludes(error.message, found);
    }
  });
}

Deno.test("a directory that git does not trust is named with the command that trusts it", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const git = new Git(hermetic(world, { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" }));
  const error = await assertRejects(() => git.at(path, "api").status(), AmofError);
  assertEquals(
    error.message,
    `Cannot read the status of "api": git does not trust ${path}, because it belongs to another user`,
  );
  assertEquals(error.hint, `If you trust it: git config --global --add safe.directory ${path}`);
});

Deno.test("a git that is too old says so, whether it says no or does not understand", async () => {
  await using world = await World.make();
  const path = await clone(world);
  for (const exit of [1, 129]) {
    const env = await world.wrapGit(
      `case " $* " in *" version "*) echo 'git version 2.17.1'; exit 0 ;; *) exit ${exit} ;; esac`,
    );
    const git = new Git(hermetic(world, env));
    const error = await assertRejects(
      () =>
        exit === 1 ? git.at(path).refs.resolve("refs/heads/nope") : git.at(path, "api").status(),
      AmofError,
    );
    assertStringIncludes(error.message, "git 2.17.1 is too old, 2.30 or later is needed");
    assertEquals(error.details["kind"], "too_old");
  }
});

Deno.test("a working copy whose repository moved away names where it pointed", async () => {
  await using world = await World.make();
  await world.write("lost/.git", "gitdir: /nowhere/else\n");
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(join(world.directory, "lost"), "api").status(),
    AmofError,
  );
  assertStringIncludes(error.message, "belongs to /nowhere/else, which is not a git repository");
});

Deno.test("a directory that is gone is not taken for a git that is missing", async () => {
  await using world = await World.make();
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(join(world.directory, "gone"), "api").status(),
    AmofError,
  );
  assertEquals(error.details["kind"], "no_directory");
});

Deno.test("what git does all the time is progress, and no warning in a log", () => {
  const logged: unknown[] = [];
  const levels = { stdout: "info", stderr: "warn" } as const;
  const onLine = logLines((level, message) => logged.push([level, message]), "api", levels);
  onLine("stderr", "Delta compression using up to 2 threads");
  onLine("stderr", "remote: Resolving deltas: 100% (2/2), done.");
  onLine("stderr", "remote: the branch is protected");
  assertEquals(logged, [
    ["debug", "api: Delta compression using up to 2 threads"],
    ["debug", "api: remote: Resolving deltas: 100% (2/2), done."],
    ["warn", "api: remote: the branch is protected"],
  ]);
});

Deno.test("tail() cleans lines and drops empty ones", () => {
  assertEquals(tail("\u001b[31mred\u001b[0m  \n\n\u202eb\r\n", 5), ["red", "b"]);
});

Deno.test("tail() keeps the last lines", () => {
  assertMatch(tail("a\nb\nc", 2).join(), /^b,c$/);
});

Deno.test("Git takes no part of an answer for the whole of it", async () => {
  await using world = await World.make();
  const system = hermetic(world);
  const cut = {
    ...system,
    processes: {
      ...system.processes,
      run: () => Promise.resolve(failed({ exitCode: 0, stdout: "half", truncated: true })),
    },
  };
  const error = await assertRejects(
    () =>
      new Git(cut).at(world.directory, "api").history.localOnlyCommits({ head: null, most: 10 }),
    AmofError,
    "git answered more than can be read",
  );
  assertEquals(error.code, "git_failed");
});
