// What a manifest says about repositories among each other.

import { assert, assertEquals } from "@std/assert";
import { check } from "./_support.ts";

/** A manifest of repositories, each with more of its members, and what stands behind them. */
function manifest(repos: Readonly<Record<string, string>>, top = ""): string {
  const lines = Object.entries(repos).map(([name, more]) =>
    `  - {name: ${name}, url: "https://host/${name}", branch: main${
      more === "" ? "" : `, ${more}`
    }}`
  );
  return ["name: demo", "repos:", ...lines, top, ""].join("\n");
}

async function errors(text: string): Promise<(readonly [string, string, string])[]> {
  return (await check(text)).errors.map(({ path, message, fix }) => [path, message, fix]);
}

Deno.test("checkManifest() takes tags, needs and groups", async () => {
  const found = await check(manifest(
    { api: "tags: [backend]", web: "depends_on: [api, db]", db: "depends_on: [api]" },
    "groups: {shop: [web, api], constructor: []}",
  ));
  assertEquals([found.errors, found.warnings], [[], []]);
  assertEquals(found.manifest?.repos.map(({ tags, dependsOn }) => [tags, dependsOn]), [
    [["backend"], []],
    [[], ["api", "db"]],
    [[], ["api"]],
  ]);
  assertEquals(found.manifest?.groups, { shop: ["web", "api"], constructor: [] });
});

Deno.test("checkManifest() names repositories that do not exist, with the nearest that does", async () => {
  assertEquals(
    await errors(manifest(
      { api: "depends_on: [wbe]", web: "" },
      "groups: {shop: [apii, nothing-like-it], 'a b': [api]}",
    )),
    [
      ["repos[0].depends_on[0]", 'There is no repository "wbe"', 'Did you mean "web"?'],
      ["groups.shop[0]", 'There is no repository "apii"', 'Did you mean "api"?'],
      [
        "groups.shop[1]",
        'There is no repository "nothing-like-it"',
        "Use names of this manifest, or remove it",
      ],
      [
        "groups.a b",
        '"a b" cannot be the name of a group',
        'Use letters, digits, ".", "_" and "-", beginning with a letter or digit',
      ],
    ],
  );
});

Deno.test("checkManifest() tells each circle once, and not what only leads into one", async () => {
  assertEquals(
    await errors(manifest({
      lead: "depends_on: [a]",
      a: "depends_on: [free, b]",
      b: "depends_on: [c, b]",
      c: "depends_on: [a]",
      free: "",
      own: "depends_on: [own]",
    })),
    [
      [
        "repos[1].depends_on",
        "Repositories depend on each other in a circle: a → b → c → a",
        "Remove one of these",
      ],
      ["repos[5].depends_on", '"own" depends on itself', "Remove it"],
    ],
  );
});

Deno.test("checkManifest() is quick with a long chain of needs", async () => {
  const names = Array.from({ length: 4000 }, (_, index) => `r${index}`);
  const chain = names.map((name, index) => [name, `depends_on: [r${index + 1}]`] as const);
  const found = await check(manifest({ ...Object.fromEntries(chain), r4000: "" }));
  assertEquals(found.errors, []);
  assert(found.manifest?.repos.length === 4001);
});

Deno.test("checkManifest() says how to write tags, needs and groups", async () => {
  assertEquals(
    (await errors(manifest({ api: "tags: backend, depends_on: api" }, "groups: {shop: api}")))
      .map(([path, , fix]) => [path, fix]),
    [
      ["repos[0].tags", "Write a list: tags: [backend]"],
      ["repos[0].depends_on", "Write a list: depends_on: [api]"],
      ["groups.shop", "Write a list: shop: [api]"],
    ],
  );
  assertEquals((await errors(manifest({ api: "tags: ['a b']" })))[0]?.[0], "repos[0].tags[0]");
});
