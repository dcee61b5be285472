// The script that pages of the server load is what its source says.

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { newDirectory } from "../support/place.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("client.js is what its source is bundled to (deno task client)", async () => {
  const file = join(newDirectory(), "client.js");
  const { tasks } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const words: string[] = tasks.client.command.split(" ").slice(1);
  const checkedIn = words[words.indexOf("--output") + 1] ?? "";
  const ran = await new Deno.Command(Deno.execPath(), {
    args: words.map((word) => word === checkedIn ? file : word),
    cwd: ROOT,
  }).output();
  assertEquals(new TextDecoder().decode(ran.stderr), "");
  assertEquals(
    await Deno.readTextFile(file),
    await Deno.readTextFile(join(ROOT, checkedIn)),
  );
});
