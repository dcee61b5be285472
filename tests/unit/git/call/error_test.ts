/**
 * The kinds of failures of git: on failures of the installed one where they can be produced without a network,
 * on recorded messages elsewhere.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import {
  classifyGitFailure,
  Git,
  type GitErrorKind,
  gitFailure,
  namedByAddress,
} from "../../../../src/git/mod.ts";
import { Clones } from "../../../../src/git/write/mod.ts";
import type { ProcessResult } from "../../../../src/base/system/mod.ts";
import { World } from "../../../support/world.ts";
import { exists } from "../../../support/answers.ts";
import { hermetic } from "../../_support.ts";
import { failed, refusedPush } from "../_failures.ts";
import { clone, commit, nothing } from "../_support.ts";

// On real failures.

Deno.test("classifyGitFailure() tells a directory that is no repository", async () => {
  await using world = await World.make();
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(world.directory, "api").status(),
    AmofError,
  );
  assertEquals([error.code, error.details["kind"]], ["git_failed", "not_a_repo"]);
});

Deno.test("classifyGitFailure() tells an index that is damaged, with the command that makes it anew and touches no file", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await Deno.writeTextFile(join(path, "README.md"), "changed\n");
  await Deno.writeTextFile(join(path, ".git", "index"), "junk\n");
  const git = new Git(hermetic(world)).at(path, "api");
  const error = await assertRejects(() => git.status(), AmofError);
  assertEquals(error.details["kind"], "damaged_index");
  const command = /: git (.*)$/.exec(error.hint)?.[1]?.split(" ") ?? [];
  await world.git(path, ...command);
  assertEquals((await git.status()).changes.map((change) => change.path), ["README.md"]);
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
  await world.script("remotes/api.git/hooks/pre-receive", "echo 'not on a Friday' >&2\nexit 1");
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
    "name_taken",
  );
});

Deno.test("classifyGitFailure() tells a remote path that leads nowhere", async () => {
  await using world = await World.make();
  const error = await assertRejects(
    () =>
      new Git(hermetic(world)).at(world.directory, "api").part(Clones).make({
        url: join(world.directory, "no.git"),
        directory: "x",
        branch: "main",
        onLine: nothing,
      }),
    AmofError,
  );
  assertEquals(error.details["kind"], "not_found");
  assertStringIncludes(error.hint ?? "", "A new address belongs in the manifest");
});

Deno.test("classifyGitFailure() tells a remote that has gone from the network", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await Deno.remove(join(world.remotes, "api.git"), { recursive: true });
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(path, "api").remoteRefs.branches("origin"),
    AmofError,
  );
  assertEquals([error.code, error.details["kind"]], ["git_failed", "not_a_repo"]);
  assertStringIncludes(error.hint ?? "", "A new address belongs in the manifest");
});

Deno.test("classifyGitFailure() tells a branch the remote does not have", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  const error = await assertRejects(
    () =>
      new Git(hermetic(world)).at(world.directory, "api").part(Clones).make({
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
  assertStringIncludes(error.hint ?? "", "the git process that works there\n");
  assertMatch(error.hint ?? "", /^Where none does, .*: rm \S+[/\\]index\.lock'?$/m);
});

for (
  const [path, isNamed] of [
    ["/x/.git/index.lock", true],
    ["/x/.git/worktrees/a/index.lock", true],
    ["C:/x/.git/refs/heads/a.lock", true],
    ["/x/precious.lock", false],
    ["/x/.git/../deno.lock", false],
    [".git/index.lock", false],
    ["/x/.git/config", false],
  ] as const
) {
  Deno.test(`a lock at ${path} is ${isNamed ? "" : "not "}named to be removed`, () => {
    const stderr =
      `fatal: Unable to create '${path}': File exists.\n\nAnother git process seems to be running`;
    const { hint } = gitFailure(failed({ stderr }), "commit", "api");
    assertEquals(hint?.includes(`: rm ${path}`), isNamed, hint);
  });
}

Deno.test("classifyGitFailure() tells a ref that another process holds", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const places = ["refs/heads/topic.lock", "reftable/tables.list.lock"];
  const [lock = ""] = await exists(join(path, ".git", "reftable")) ? places.slice(1) : places;
  await Deno.writeTextFile(join(path, ".git", lock), "");
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
  assertEquals(error.details["kind"], "name_taken");
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
    "line ends that would not come back",
    "line_ends",
    "fatal: LF would be replaced by CRLF in x.txt",
  ],
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
    "a clone without the remote",
    "no_origin",
    "fatal: 'origin' does not appear to be a git repository\nfatal: Could not read from remote repository.",
  ],
  [
    "a key to sign with that is not there (SSH)",
    "signing",
    "error: Couldn't load public key /home/me/k.pub: No such file or directory?\n\nfatal: failed to write commit object",
  ],
  [
    "a key to sign with that is not there (OpenPGP)",
    "signing",
    "error: gpg failed to sign the data\nfatal: failed to write commit object",
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
    "a person without a name",
    "identity",
    "Author identity unknown\n\n*** Please tell me who you are.\n\nfatal: unable to auto-detect email address (got 'me@host.(none)')",
  ],
  [
    "a person without an address",
    "identity",
    "fatal: no email was given and auto-detection is disabled",
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
    "a disk that is full in the middle of a checkout",
    "disk_full",
    "error: unable to write file a.txt\nfatal: sha1 file '/x/.git/index.lock' write error. Out of diskspace",
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
  [
    "a branch below another one",
    "name_taken",
    "fatal: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
  ],
  [
    "a branch below another one at the remote",
    "name_taken",
    "remote: error: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'\n ! [remote rejected] a/b -> a/b (failed to update ref)",
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
  const ended = { stderr, signal: "SIGTERM" } as const;
  assertEquals(classifyGitFailure(failed({ ...ended, timedOut: true })), "timeout");
  assertEquals(gitFailure(failed(ended), "fetch", null).details["reason"], "it was stopped");
  assertEquals(classifyGitFailure(failed({ stderr, startError: "not_found" })), "no_git");
});

// The error made of a failure.

const CODES: readonly (readonly [string, Partial<ProcessResult>])[] = [
  ["auth_failed", { stderr: "fatal: Authentication failed for 'x'" }],
  ["remote_unreachable", { stderr: "fatal: Could not resolve host: x" }],
  ["timeout", { timedOut: true }],
  ["cancelled", { cancelled: true }],
  ["cancelled", { signal: "SIGTERM" }],
  ["git_failed", { stderr: "fatal: anything" }],
];

for (const [code, fields] of CODES) {
  Deno.test(`gitFailure() of ${JSON.stringify(fields)} has the code ${code}`, () => {
    assertEquals<string>(gitFailure(failed(fields), "fetch", null).code, code);
  });
}

const COMMITS: readonly (readonly [string, Partial<ProcessResult>])[] = [
  ["a hook refused it, and said nothing", {}],
  ["a hook refused it: bad word", { stderr: "first\nbad word\n" }],
  ["a hook refused it: bad word", { stdout: "bad word\n" }],
  // What begins like this is git's own as a rule.
  ["pathspec 'x' did not match", { stderr: "error: pathspec 'x' did not match" }],
  ["nothing to commit, working tree clean", {
    stdout: "On branch main\nnothing to commit, working tree clean\n",
  }],
  ["exit code 128", { exitCode: 128 }],
];

for (const [reason, fields] of COMMITS) {
  Deno.test(`gitFailure() tells a commit that a hook refuses from others: ${reason}, ${JSON.stringify(fields)}`, () => {
    const result = failed({ args: ["-c", "color.ui=false", "commit"], exitCode: 1, ...fields });
    assertEquals(gitFailure(result, "commit", "api").details["reason"], reason);
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
    "Cannot fetch: the time limit of 12 s ended it",
  );
});

Deno.test("gitFailure() says that there was no progress, and for how long", () => {
  const error = gitFailure(failed({ stalledMs: 60_000 }), "fetch", null);
  assertEquals([error.code, error.message], [
    "timeout",
    "Cannot fetch: there was no progress for 60 s",
  ]);
});

// What is known of a call is in what helps, so that it can be pasted.

const IN_CLONE = { cwd: "/w/api", network: true };
const LOOK = "Compare URL and branch in the manifest with what the remote has";
const GREET = "Compare the host's key with the one its owner publishes and accept it by hand";
const NOT_FOUND = "remote: Repository not found.";
const NO_BRANCH = "fatal: couldn't find remote ref main";
const GONE =
  "It may have been renamed, or be closed to you: look at its host, or ask its owner\nA new address belongs in the manifest";
const NO_KEY = (what: string) => `${what}\nHost key verification failed.`;

const HELPED: readonly (readonly [args: string[], stderr: string, hint: string])[] = [
  [
    ["fetch", "--end-of-options", "origin", "main:x"],
    NOT_FOUND,
    `${GONE}; status then says what the clone needs`,
  ],
  [
    ["fetch", "--end-of-options", "upstream", "main:x"],
    NOT_FOUND,
    `${
      GONE.split("\n")[0]
    }\nTell the clone a new address: git -C /w/api remote set-url upstream URL`,
  ],
  [
    ["fetch", "--end-of-options", "origin", "main:x"],
    NO_BRANCH,
    `${LOOK}: git -C /w/api ls-remote --heads origin`,
  ],
  [["clone", "--end-of-options", "git@host:a.git", "/w/api"], NOT_FOUND, GONE],
  [
    ["clone", "--origin", "origin", "--end-of-options", "git@host:a b.git", "/w/api"],
    NO_BRANCH,
    `${LOOK}: git ls-remote --heads 'git@host:a b.git'`,
  ],
  [
    ["clone", "--end-of-options", "https://me:hunter2@host/api.git", "/w/api"],
    NO_BRANCH,
    `${LOOK}: git ls-remote --heads https://host/api.git`,
  ],
  [["clone", "--end-of-options", "https://host/api.git?token=hunter2", "/w/api"], NO_BRANCH, LOOK],
  [["fetch"], NO_BRANCH, LOOK],
  [
    ["fetch"],
    NO_KEY(
      "No ED25519 host key is known for git.example.com and you have requested strict checking.",
    ),
    `${GREET}: ssh -T git@git.example.com\nThen repeat`,
  ],
  [
    ["fetch"],
    NO_KEY(
      "Host key for [git.example.com]:2222 has changed and you have requested strict checking.",
    ),
    `${GREET}: ssh -T -p 2222 git@git.example.com\nThen repeat`,
  ],
  [["fetch"], NO_KEY(""), `${GREET}, then repeat`],
];

for (const [args, stderr, hint] of HELPED) {
  Deno.test(`gitFailure() fills in what is known: ${args.join(" ")}: ${stderr}`, () => {
    assertEquals(gitFailure(failed({ args, stderr }), "try", "api", IN_CLONE).hint, hint);
  });
}

Deno.test("gitFailure() allows twice the time that was too short", () => {
  const hint = (fields: Partial<ProcessResult>) =>
    gitFailure(failed({ durationMs: 60_000, ...fields }), "try", "api", IN_CLONE).hint;
  assertStringIncludes(hint({ timedOut: true }), "the same command with --timeout 120");
  assertStringIncludes(hint({ stalledMs: 90_000 }), ": export AMOF_STALL_TIMEOUT=180");
});

Deno.test("namedByAddress() looks at the remote itself where the repository is amof's own", () => {
  const hint = "Look: git -C '/state/…/.api.git.amof-0afe940b' ls-remote --heads origin";
  const failed = new AmofError("git_failed", "Cannot fetch", { hint, details: { repo: "api" } });
  const named = namedByAddress(failed, "/my remotes/api.git");
  assert(named instanceof AmofError);
  assertEquals(named.hint, "Look: git ls-remote --heads '/my remotes/api.git'");
  assertEquals([named.code, named.details], ["git_failed", { repo: "api" }]);
  const hinted = { hint: `${GONE}; status then says what the clone needs` };
  const gone = new AmofError("git_failed", "Cannot fetch", hinted);
  assertEquals((namedByAddress(gone, "/x") as AmofError).hint, GONE);
  const other = new TypeError("something else");
  assertEquals(namedByAddress(other, "/x"), other);
});
