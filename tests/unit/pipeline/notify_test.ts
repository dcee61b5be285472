// How each desktop is asked to show that something waits: texts of others are data, never words or script.

import { assert, assertEquals } from "@std/assert";
import { noteRequest } from "../../../src/pipeline/consent/requests.ts";

const TITLE = "amof waits for you";
const HOSTILE = `--help "$(touch x)' -e`;

Deno.test("noteRequest() hands texts over as arguments or in the environment", () => {
  const linux = noteRequest("linux", TITLE, HOSTILE);
  assertEquals([linux.command, linux.args], [
    "notify-send",
    ["--app-name=amof", "--", TITLE, HOSTILE],
  ]);
  const mac = noteRequest("darwin", TITLE, HOSTILE);
  assertEquals([mac.command, mac.args.slice(-2)], ["osascript", [TITLE, HOSTILE]]);
  assert(!mac.args.slice(0, -2).join("\n").includes(HOSTILE));
  const windows = noteRequest("windows", TITLE, HOSTILE);
  assertEquals(windows.env, { AMOF_NOTE_TITLE: TITLE, AMOF_NOTE_TEXT: HOSTILE });
  assert(!windows.args.join("\n").includes(HOSTILE));
});
