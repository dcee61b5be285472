// Covers judge(): what of a clone a person has to look at, and what nobody has to (SEAL-2).

import { assertEquals } from "@std/assert";
import { sha256 } from "../../../src/base/hash.ts";
import { listedKeys } from "../../../src/git/files/config_text.ts";
import { judge } from "../../../src/git/seal/judge.ts";
import {
  hashOfValues,
  type Part,
  type Remembered,
  remembered,
} from "../../../src/git/seal/parts.ts";

const CLONE = "/space/api";
const ORIGIN = "https://example.com/api.git";

type Texts = Readonly<Record<string, string>>;

const KINDS: Readonly<Record<string, Part["kind"]>> = {
  ".git/config": "config",
  ".git/info/attributes": "attributes",
  ".git/objects/info/alternates": "alternates",
};

function partsOf(texts: Texts): Part[] {
  return Object.entries(texts).map(([name, text]) => ({
    name,
    text,
    kind: KINDS[name] ?? (name.endsWith("config") ? "config" : "hook"),
    path: `${CLONE}/${name}`,
  }));
}

function seal(texts: Texts) {
  const parts = partsOf(texts);
  return { digest: sha256(JSON.stringify(texts)), parts };
}

/** The keys that a file of configuration of a few plain lines has, `section.key=value` each. */
function listed(text: string): string {
  return text.split("\n").filter((line) => line !== "").map((line) =>
    `${line.replace("=", "\n")}\0`
  ).join("");
}

/** What a person has to look at where a clone had the first texts, none for one of which nothing is known, and has the second. */
async function suspects(before: Texts | null, now: Texts): Promise<string[]> {
  const known: Remembered | null = before === null ? null : {
    ...remembered(seal({})),
    files: Object.fromEntries(Object.entries(before).map(([name, text]) => [name, sha256(text)])),
    keys: Object.fromEntries(
      Object.entries(before).filter(([name]) => name.endsWith("config")).map(([name, text]) => [
        name,
        Object.fromEntries(
          [...listedKeys(listed(text))].map(([key, values]) => [key, hashOfValues(values)]),
        ),
      ]),
    ),
  };
  const found = await judge(known, seal(now), {
    listed: (path) => {
      const part = partsOf(now).find((one) => one.path === path);
      return Promise.resolve(part === undefined ? null : listedKeys(listed(part.text)));
    },
    isOrigin: (url) => url === ORIGIN,
    mayBorrow: (objects) => objects.startsWith("/mirrors/"),
  });
  return [...found.keys.map(({ key }) => key), ...found.files].toSorted();
}

const CASES: readonly (readonly [string, Texts | null, Texts, readonly string[]])[] = [
  ["what is as it was", { "hooks/x": "a" }, { "hooks/x": "a" }, []],
  ["a hook that was changed", { "hooks/x": "a" }, { "hooks/x": "b" }, ["hooks/x"]],
  ["a hook that is new", {}, { "hooks/x": "a" }, ["hooks/x"]],
  ["a hook of a clone of which nothing is known", null, { "hooks/x": "a" }, ["hooks/x"]],
  ["a hook that is gone", { "hooks/x": "a" }, {}, []],
  [
    "a setting that names a program, as it was",
    { ".git/config": "core.sshcommand=a\n" },
    { ".git/config": "core.sshcommand=a\nuser.name=b\n" },
    [],
  ],
  [
    "a setting that names another program than before",
    { ".git/config": "core.sshcommand=a\n" },
    { ".git/config": "core.sshcommand=b\n" },
    ["core.sshcommand"],
  ],
  [
    "a second value of a setting, which names a program",
    {},
    { ".git/config": "core.fsmonitor=true\ncore.fsmonitor=/bin/x\n" },
    ["core.fsmonitor"],
  ],
  ["a switch", {}, { ".git/config": "core.fsmonitor=true\n" }, []],
  ["refs in tables", {}, { ".git/config": "extensions.refstorage=reftable\n" }, []],
  ...["files:///other", "files://other", "reftable://.git/x"].map((place) =>
    [
      `refs at ${place}`,
      {},
      { ".git/config": `extensions.refstorage=${place}\n` },
      ["extensions.refstorage"],
    ] as const
  ),
  ...[".git/modules/libs%2fa", "/space/api/.git/modules/a/modules/b"].map((place) =>
    [
      `the place that git gives a submodule, ${place}`,
      {},
      { ".git/config": `submodule.libs/a.gitdir=${place}\n` },
      [],
    ] as const
  ),
  ...["/other/a", ".git/modules/../../../other", ".git"].map((place) =>
    [
      `another place of a submodule, ${place}`,
      {},
      { ".git/config": `submodule.libs/a.gitdir=${place}\n` },
      ["submodule.libs/a.gitdir"],
    ] as const
  ),
  [
    "a group of remotes that is called like one",
    {},
    { ".git/config": "remotes.all=origin fork\nremotes.origin=fork\n" },
    ["remotes.origin"],
  ],
  ["the address of the manifest", {}, { ".git/config": `remote.origin.url=${ORIGIN}\n` }, []],
  [
    "another plain address of origin",
    { ".git/config": `remote.origin.url=${ORIGIN}\n` },
    { ".git/config": "remote.origin.url=https://example.com/other.git\n" },
    ["remote.origin.url"],
  ],
  [
    "attributes of git-lfs",
    {},
    { ".git/info/attributes": "*.bin filter=lfs diff=lfs -text\n" },
    [],
  ],
  ...["filter", "diff", "merge"].map((driver) =>
    [
      `attributes that name a ${driver} driver`,
      {},
      { ".git/info/attributes": `*.x ${driver}=mine\n` },
      [".git/info/attributes"],
    ] as const
  ),
  ["objects of a mirror", {}, { ".git/objects/info/alternates": "/mirrors/api/objects\n" }, []],
  [
    "objects of elsewhere",
    {},
    { ".git/objects/info/alternates": "/mirrors/api/objects\n/other/objects\n" },
    [".git/objects/info/alternates"],
  ],
];

for (const [what, before, now, expected] of CASES) {
  const named = expected.length === 0 ? "asks nobody about" : "asks about";
  Deno.test(`judge() of seals ${named} ${what}`, async () => {
    assertEquals(await suspects(before, now), expected);
  });
}
