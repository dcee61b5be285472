import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import plugin from "./imports.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

function found(text: string, file = "/project/src/x.ts"): number {
  return Deno.lint.runPlugin(plugin, file, text).length;
}

Deno.test("a second import of one module is refused, also of types alone", () => {
  assertEquals(found('import { a } from "./m.ts";\nimport { b } from "./m.ts";'), 1);
  assertEquals(found('import { a } from "./m.ts";\nimport type { B } from "./m.ts";'), 1);
});

Deno.test("a module may be imported by its name besides", () => {
  assertEquals(found('import * as m from "./m.ts";\nimport { b } from "./m.ts";'), 0);
  assertEquals(found('import { a } from "./m.ts";\nimport { b } from "./n.ts";'), 0);
});

Deno.test("a module of the program does not wait while it is loaded; its functions may", () => {
  const ours = `${ROOT}src/x.ts`;
  for (
    const text of [
      'export const A = await import("./m.ts");',
      "export const A = [...(await of()).flat()];",
      "for await (const one of all()) use(one);",
      "if (some) { await it; }",
    ]
  ) {
    assertEquals([found(text, ours), found(text, `${ROOT}tests/x.ts`)], [1, 0], text);
  }
  for (
    const text of [
      "export async function f() { await it; for await (const one of all()) use(one); }",
      "export const f = async () => await it;",
      "export class C { async m() { await it; } }",
      "for (const one of all) use(one);",
    ]
  ) {
    assertEquals(found(text, ours), 0, text);
  }
});
