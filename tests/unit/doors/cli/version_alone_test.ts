import { assertEquals } from "@std/assert";
import { versionAlone } from "../../../../src/doors/cli/version_alone.ts";
import { VERSION } from "../../../../src/base/version.ts";

Deno.test("versionAlone() answers who asks for the version and nothing else", () => {
  for (const args of [["--version"], ["-V"]]) {
    assertEquals(versionAlone("/usr/bin/amof", args), `amof ${VERSION}\n`);
  }
});

Deno.test("versionAlone() leaves every other line to the command line", () => {
  for (
    const args of [[], ["--version", "--json"], ["status", "--version"], ["-v"], ["--versions"]]
  ) assertEquals(versionAlone("amof", args), null);
});

Deno.test("versionAlone() does not speak for agentpack", () => {
  for (const program of ["agentpack", "/usr/bin/agentpack", "C:\\bin\\agentpack.exe"]) {
    assertEquals(versionAlone(program, ["--version"]), null);
  }
});
