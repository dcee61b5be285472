import { assertEquals } from "@std/assert";
import plugin from "./imports.ts";

function found(text: string): number {
  return Deno.lint.runPlugin(plugin, "/project/src/x.ts", text).length;
}

Deno.test("a second import of one module is refused, also of types alone", () => {
  assertEquals(found('import { a } from "./m.ts";\nimport { b } from "./m.ts";'), 1);
  assertEquals(found('import { a } from "./m.ts";\nimport type { B } from "./m.ts";'), 1);
});

Deno.test("a module may be imported by its name besides", () => {
  assertEquals(found('import * as m from "./m.ts";\nimport { b } from "./m.ts";'), 0);
  assertEquals(found('import { a } from "./m.ts";\nimport { b } from "./n.ts";'), 0);
});
