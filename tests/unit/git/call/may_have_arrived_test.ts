// Covers mayHaveArrived(): whether a remote may have what was sent although git was not told so.

import { assertEquals } from "@std/assert";
import { mayHaveArrived } from "../../../../src/git/mod.ts";
import { failed } from "../_failures.ts";

const RESULTS = [
  [{ cancelled: true }, true],
  [{ timedOut: true }, true],
  [{ signal: "SIGKILL" }, true],
  [{ stderr: "fatal: the remote end hung up unexpectedly\n" }, true],
  [{ stderr: "send-pack: unexpected disconnect while reading sideband packet\n" }, true],
  [{ stderr: "error: RPC failed; HTTP 502 The requested URL returned error: 502\n" }, true],
  // There was nobody to take anything, or a refusal.
  [{ stderr: "fatal: unable to access 'x': Could not resolve host: x\n" }, false],
  [
    {
      stderr:
        "ssh: connect to host x port 22: Connection refused\nfatal: Could not read from remote repository.\n",
    },
    false,
  ],
  [{
    stderr: " ! [remote rejected] x -> x (hook declined)\nfatal: the remote end hung up\n",
  }, false],
  [{ stderr: "fatal: Authentication failed for 'x'\n" }, false],
] as const;

Deno.test("mayHaveArrived() tells a transfer that may have arrived from one that cannot have", () => {
  for (const [fields, isCut] of RESULTS) {
    assertEquals(mayHaveArrived(failed(fields)), isCut, JSON.stringify(fields));
  }
});
