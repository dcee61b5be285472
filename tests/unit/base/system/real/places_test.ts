// The places in which git usually is, for each system.

import { assertEquals } from "@std/assert";
import { usualPlaces } from "../../../../../src/base/system/real/at_start.ts";

Deno.test("git is looked for where each system usually has it", () => {
  const none = () => undefined;
  const usual = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin"];
  assertEquals(usualPlaces("linux", none), usual);
  assertEquals(usualPlaces("darwin", none), usual);
  const windows: Record<string, string> = {
    ProgramW6432: "C:\\Program Files",
    ProgramFiles: "C:\\Program Files",
    LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local",
  };
  assertEquals(usualPlaces("windows", (name) => windows[name]), [
    "C:\\Program Files\\Git\\cmd",
    "C:\\Users\\me\\AppData\\Local\\Programs\\Git\\cmd",
  ]);
  assertEquals(usualPlaces("windows", none), []);
});
