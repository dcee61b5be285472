// Edits of YAML files say what is meant, and leave every comment and every other line as it was.

import fc from "fast-check";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { parse } from "yaml";
import {
  addScalar,
  appendItems,
  removeItem,
  replaceScalar,
} from "../../src/base/text/yaml_edit.ts";

interface Item {
  readonly name: string;
  readonly tags: readonly string[];
}

const word = fc.constantFrom("api", "web", "yes", "lib-core", "a b", "7", "null", "x: y", "größe");
const item: fc.Arbitrary<Item> = fc.record({
  name: word,
  tags: fc.array(word, { maxLength: 3 }),
});

/** How a person wrote the file. */
const style = fc.record({
  indent: fc.constantFrom("", "  ", "    "),
  comments: fc.boolean(),
  blank: fc.boolean(),
  flow: fc.boolean(),
  inline: fc.boolean(),
  newline: fc.constantFrom("", "\n"),
});

const quoted = (text: string) => JSON.stringify(text);

/** A document that begins with one key, ends with another, and has a list between. */
function written(
  items: readonly Item[],
  how: typeof style extends fc.Arbitrary<infer T> ? T : never,
) {
  const lines = ["# At the top", "name: demo   # the name"];
  if (items.length === 0) lines.push("repos: []");
  else if (how.inline) {
    lines.push(
      `repos: [${
        items.map(({ name, tags }) =>
          `{ name: ${quoted(name)}, tags: [${tags.map(quoted).join(", ")}] }`
        )
          .join(", ")
      }]`,
    );
  } else {
    lines.push("repos:");
    for (const [index, { name, tags }] of items.entries()) {
      if (how.blank && index > 0) lines.push("");
      if (how.comments) lines.push(`${how.indent}# About number ${index}`);
      lines.push(`${how.indent}- name: ${quoted(name)}${how.comments ? ` # said ${index}` : ""}`);
      if (tags.length === 0) lines.push(`${how.indent}  tags: []`);
      else if (how.flow) lines.push(`${how.indent}  tags: [${tags.map(quoted).join(", ")}]`);
      else {
        lines.push(`${how.indent}  tags:`);
        for (const tag of tags) lines.push(`${how.indent}    - ${quoted(tag)}`);
      }
    }
  }
  lines.push("last: true # the end");
  return lines.join("\n") + how.newline;
}

function comments(text: string): string[] {
  return [...text.matchAll(/#.*$/gm)].map(([comment]) => comment);
}

const documents = fc.record({ items: fc.array(item, { maxLength: 4 }), how: style })
  .map(({ items, how }) => ({ items, text: written(items, how) }));

Deno.test("appendItems() adds exactly those items, and keeps every comment", () => {
  fc.assert(fc.property(documents, fc.nat({ max: 3 }), ({ items, text }, count) => {
    const added = Array.from({ length: count }, (_, at) => ({ name: `new${at}`, tags: ["one"] }));
    const edited = appendItems(
      text,
      "repos",
      added.map(({ name }) => [`name: ${name}`, "tags: [one]"]),
    );
    assertEquals(parse(edited), { name: "demo", repos: [...items, ...added], last: true });
    assertEquals(comments(edited), comments(text));
  }));
});

Deno.test("removeItem() takes exactly one item, with no comment but its own", () => {
  fc.assert(fc.property(documents, fc.nat(), ({ items, text }, at) => {
    if (items.length === 0) return;
    const index = at % items.length;
    const edited = removeItem(text, ["repos", index]);
    assertEquals(parse(edited), {
      name: "demo",
      repos: items.filter((_, each) => each !== index),
      last: true,
    });
    const gone = [`# About number ${index}`, `# said ${index}`];
    const kept = comments(text).filter((comment) => !gone.includes(comment));
    assertEquals(comments(edited).filter((comment) => !gone.includes(comment)), kept);
  }));
});

Deno.test("removeItem() reaches into an item", () => {
  fc.assert(fc.property(documents, fc.nat(), ({ items, text }, at) => {
    const index = items.findIndex(({ tags }) => tags.length > 0);
    const tags = items[index]?.tags ?? [];
    if (tags.length === 0) return;
    const gone = at % tags.length;
    const edited = removeItem(text, ["repos", index, "tags", gone]);
    const meant = items.map((each, number) =>
      number === index ? { ...each, tags: tags.filter((_, tag) => tag !== gone) } : each
    );
    assertEquals((parse(edited) as { repos: unknown }).repos, meant);
    assertEquals(comments(edited), comments(text));
  }));
});

Deno.test("replaceScalar() and addScalar() change one value, and no other line", () => {
  fc.assert(fc.property(documents, fc.nat(), word, ({ items, text }, at, value) => {
    if (items.length === 0) return;
    const index = at % items.length;
    const renamed = replaceScalar(text, ["repos", index, "name"], value);
    const edited = addScalar(renamed, ["repos", index], "path", value);
    const meant = items.map((each, number) =>
      number === index ? { ...each, name: value, path: value } : each
    );
    assertEquals((parse(edited) as { repos: unknown }).repos, meant);
    assertEquals(comments(edited), comments(text));
    const other = text.split("\n").filter((line) => /^(?:name|last|# At)/.test(line));
    for (const line of other) assert(edited.includes(line), line);
  }));
});

Deno.test("removeItem() throws where there is no such item", () => {
  assertThrows(() => removeItem("repos: []\n", ["repos", 0]), TypeError);
});
