/**
 * The line in which git, or a hook, says what is wrong.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { classifyGitFailure, reason } from "../../../../src/git/mod.ts";
import { World } from "../../../support/world.ts";
import { failed, refusedPush } from "../_failures.ts";
import { clone, commit } from "../_support.ts";

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

Deno.test("reason() tells that the remote closed the connection where git only said where it is at work", () => {
  const stderr = "Cloning into '/home/me/.private'...\n";
  const cut = failed({ stderr, exitCode: 141, signal: "SIGPIPE" });
  assertEquals(reason(cut), "the remote closed the connection");
  assertEquals(classifyGitFailure(cut), "network");
  assertEquals(reason(failed({ stderr, signal: "SIGKILL" })), "git was ended by SIGKILL");
  assertEquals(reason(failed({ stderr })), "exit code 128");
});

// Lines before the failure and git's advice after it are not the reason.
const AFTER =
  "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n";

const REASONS: readonly (readonly [string, string])[] = [
  [
    "Cloning into 'c'...\nDownloading a.bin (12 KB)\nError downloading object: a.bin (4d7a214): Smudge error: [404] Object does not exist on the server\n\nErrors logged to '/c/.git/lfs/logs/1.log'.\nUse `git lfs logs last` to view the log.\nerror: external filter 'git-lfs filter-process' failed\nfatal: a.bin: smudge filter lfs failed\nwarning: Clone succeeded, but checkout failed.\n",
    "Error downloading object: a.bin (4d7a214): Smudge error: [404] Object does not exist on the server",
  ],
  [
    "no key of this repository\nerror: external filter 'git-crypt smudge' failed 1\nfatal: a: smudge filter git-crypt failed\n",
    "no key of this repository",
  ],
  [
    "error: external filter 'false' failed 1\nfatal: a: smudge filter nb failed\n",
    "external filter 'false' failed 1",
  ],
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
