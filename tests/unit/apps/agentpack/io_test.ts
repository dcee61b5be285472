// Failures of the file system name the file that was meant, and none that was only there for the moment.

import { withPath } from "../../../../src/apps/agentpack/io.ts";
import { assertCode } from "../../../support/assert_code.ts";
import { assertEquals } from "@std/assert";

Deno.test("withPath() says why in the words of the system, without the names behind them", async () => {
  const { message } = await assertCode(
    "E_IO_PERMISSION_DENIED",
    () =>
      withPath("write", "/there/a.md", () => {
        const said =
          "Permission denied (os error 13): rename '/there/.agentpack-1-2.tmp' -> '/there/a.md'";
        return Promise.reject(new Deno.errors.PermissionDenied(said));
      }),
  );
  assertEquals(message, 'Cannot write "/there/a.md": Permission denied (os error 13)');
});
