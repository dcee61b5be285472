// Reading the lists of other tools: what each says, what of it a manifest can say, and what is told instead.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { basename, dirname, fromFileUrl, join } from "@std/path";
import { AmofError } from "../../../src/base/error.ts";
import { SLUG } from "../../../src/base/ids.ts";
import type { Imported } from "../../../src/workspace/import/imported.ts";
import { submoduleUrl } from "../../../src/workspace/import/gitmodules.ts";
import { joinUrl } from "../../../src/workspace/import/repo_xml.ts";
import {
  IMPORTERS,
  kindOfList,
  kindsThatFit,
  LIST_KINDS,
  type ListKind,
} from "../../../src/workspace/import/kinds.ts";
import { settle, slugOf } from "../../../src/commands/ecosystem/create/settle.ts";

const FIXTURES = fromFileUrl(new URL("../../fixtures/import/", import.meta.url));

async function read(
  kind: ListKind,
  text: string,
  at = FIXTURES,
  home: string | null = null,
): Promise<Imported> {
  return await IMPORTERS[kind]({
    text,
    shown: "list",
    home,
    platform: "linux",
    include: (path) => Deno.readTextFile(join(at, path)),
  });
}

async function fixture(name: string, home: string | null = null): Promise<Imported> {
  const path = join(FIXTURES, name);
  const text = await Deno.readTextFile(path);
  const kind = kindOfList(basename(path), text);
  assert(kind !== null, name);
  return await read(kind, text, dirname(path), home);
}

/** The repositories of a list as rows: name, address, version, place, tags. */
function rowsOf(list: Imported): unknown[][] {
  return settle(list).repos.map(({ name, url, version, path, tags }) => [
    name,
    url,
    version,
    path,
    tags.join(","),
  ]);
}

const refuse = (kind: ListKind, text: string) =>
  assertRejects(() => read(kind, text), AmofError).then((error) => {
    assertEquals(error.code, "invalid_arguments");
    return error.message;
  });

Deno.test(".repos: git repositories with their places; a version stays as it is written", async () => {
  const list = await fixture("robot.repos");
  const shared = "https://git.example.com/robot";
  assertEquals(rowsOf(list), [
    ["navigation", `${shared}/navigation.git`, "humble", "core/navigation", ""],
    ["msgs", "git@git.example.com:robot/msgs.git", "1.10", "core/msgs", ""],
    [
      "lidar",
      `${shared}/lidar.git`,
      "3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
      "drivers/lidar",
      "",
    ],
    ["plotter", `${shared}/plotter.git`, null, "tools/plotter", ""],
  ]);
  const notes = settle(list).notes;
  assertEquals(notes, [
    "tools/old_sim: its type is hg, not git",
    "tools/plotter: the credentials in its address were left out",
  ]);
});

Deno.test(".rosinstall is read as the older form of .repos", async () => {
  const list = await fixture("old.rosinstall");
  assertEquals(rowsOf(list), [
    ["navigation", "https://git.example.com/robot/navigation.git", "master", "navigation", ""],
  ]);
  assertEquals(list.notes, ["docs: its type is svn, not git"]);
});

Deno.test("west.yml: remotes and defaults make addresses, groups become tags, the filter disables", async () => {
  const list = await fixture("west.yml");
  assertEquals(rowsOf(list), [
    ["kernel", "https://git.example.com/rtos/kernel", "v3.7.0", "rtos/kernel", ""],
    [
      "hal_acme",
      "https://git.example.com/vendor/hal/acme",
      "9c4f1d2e8b7a6053c1d2e3f405162738495a6b7c",
      "modules/hal/acme",
      "hal",
    ],
    [
      "tls",
      "https://git.example.com/crypto/tls.git",
      "main",
      "modules/crypto/tls",
      "crypto,optional",
    ],
    ["simulator", "https://git.example.com/rtos/simulator", "main", "simulator", "optional"],
  ]);
  assertEquals(list.repos.filter((repo) => !repo.enabled).map(({ name }) => name), ["simulator"]);
  assertEquals(list.repos.map(({ depth }) => depth), [null, null, null, 1]);
  assertEquals(list.notes, [
    "self: path, west-commands",
    "kernel: west-commands",
  ]);
  assertEquals(
    settle(list).notes.at(-1),
    'simulator: switched off, as in the list ("enabled: false" in the manifest)',
  );
});

Deno.test("repo's XML: remotes, removed projects and included files; fetch is relative to the list's home", async () => {
  const list = await fixture("default.xml", "https://git.example.com/team/lists/manifests");
  const { repos } = settle(list);
  assertEquals(rowsOf(list), [
    ["make", "https://git.example.com/team/platform/build", "main", "build/make", "pdk,tools"],
    ["zlib", "https://mirror.example.com/src/external/zlib", "stable", "external/zlib", ""],
    [
      "board",
      "https://git.example.com/team/device/board",
      "5f0c4f8e2b1d3a697c8e9f00112233445566778a",
      "device/board",
      "",
    ],
    ["samples", "https://git.example.com/team/platform/samples", "main", "samples", "docs"],
    ["ours", "https://git.example.com/team/vendor/ours", "release/2", "vendor/ours", "local"],
  ]);
  assertEquals(repos.map(({ name, branch, enabled }) => [name, branch, enabled]).slice(2, 4), [
    ["board", "board-2", true],
    ["samples", null, false],
  ]);
  for (const dropped of ["copyfile", "linkfile", "repo-hooks", "review", "notice"]) {
    assert(list.notes.some((note) => note.includes(dropped)), dropped);
  }
  // Without a home only the remote with an address of its own is known.
  const homeless = await fixture("default.xml");
  assertEquals(homeless.repos.map(({ name, depth }) => [name, depth]), [["zlib", 1]]);
});

Deno.test("XML with a document type, entities, instructions, circles or faults is refused", async () => {
  const bad = [
    ['<!DOCTYPE m SYSTEM "file:///etc/passwd"><manifest/>', "document type"],
    ['<!DOCTYPE m [<!ENTITY a "b">]><manifest/>', "document type"],
    ["<manifest>&file;</manifest>", "entity"],
    ["<manifest><?php x ?></manifest>", "instruction"],
    ["<manifest><project></manifest>", "line 1"],
    ["<other/>", "begins with <other>"],
    [`${"<manifest>".repeat(60)}${"</manifest>".repeat(60)}`, "deeper"],
    ["", "document must contain a root element"],
  ] as const;
  for (const [text, why] of bad) assertStringIncludes(await refuse("repo-xml", text), why);
  const circle = '<manifest><include name="a.xml"/></manifest>';
  const include = () => Promise.resolve(circle);
  const message = await assertRejects(
    async () =>
      await IMPORTERS["repo-xml"]({
        text: circle,
        shown: "a.xml",
        home: null,
        platform: null,
        include,
      }),
    AmofError,
  );
  assertStringIncludes(message.message, "circle");
});

Deno.test("mani.yaml: projects of imported files too; tasks and the rest are told", async () => {
  const list = await fixture("mani.yaml");
  assertEquals(rowsOf(list), [
    [
      "frontend",
      "https://git.example.com/shop/frontend.git",
      "develop",
      "web/frontend",
      "web,typescript",
    ],
    ["backend", "git@git.example.com:shop/backend.git", null, "backend", "api"],
    ["docs", "https://git.example.com/shop/docs.git", "main", "mani.d/docs", ""],
  ]);
  assertEquals(list.notes, [
    "frontend: env",
    "backend: sync",
    "tasks, to be written by hand: test, lint",
    "list: specs, themes",
  ]);
});

Deno.test(".meta: paths and addresses, and the newer form with tags", async () => {
  const list = await fixture("shop.meta");
  assertEquals(rowsOf(list), [
    ["api", "git@git.example.com:shop/api.git", null, "api", ""],
    ["pay", "https://git.example.com/shop/pay.git", null, "plugins/pay", ""],
    ["web", "https://git.example.com/shop/web.git", null, "web", "frontend"],
  ]);
  assertEquals(list.notes, ["list: ignore, plugins"]);
});

Deno.test("gita: repos.csv names clones, with its groups; freeze names addresses", async () => {
  const list = await fixture("repos.csv");
  assertEquals(list.repos.map(({ name, clone }) => [name, clone]), [
    ["api", "/home/ada/code/api"],
    ["web", "/home/ada/code/web"],
    ["odd", "/home/ada/code/odd, name"],
  ]);
  assertEquals(list.groups, { shop: ["api", "web"] });
  assertEquals(list.notes, ["web: flags --git-dir=/home/ada/x --work-tree=/home/ada/y"]);
  const frozen = await fixture("freeze.csv");
  assertEquals(frozen.repos.map(({ name, url }) => [name, url]), [
    ["api", "https://git.example.com/shop/api.git"],
    ["web", "git@git.example.com:shop/web.git"],
  ]);
  assertEquals(frozen.groups, {});
});

Deno.test(".code-workspace: folders, with comments and commas that JSON does not have", async () => {
  const list = await fixture("shop.code-workspace");
  assertEquals(list.repos.map(({ name, clone }) => [name, clone]), [
    ["api", "api"],
    ["web", "../code/web"],
  ]);
  assertEquals(list.notes, ["list: settings, extensions"]);
});

Deno.test("a list is known by its name, or else by what it holds", async () => {
  for await (const { name, isFile } of Deno.readDir(FIXTURES)) {
    if (!isFile || name === "groups.csv") continue;
    const text = await Deno.readTextFile(join(FIXTURES, name));
    const rosinstall = name.endsWith(".rosinstall");
    assertEquals(kindOfList("list", text), rosinstall ? null : kindOfList(name, text), name);
  }
  assertEquals(kindOfList("notes.txt", "Nothing of that sort"), null);
});

Deno.test("of a list that nothing tells the kind of, those are named that are written so", () => {
  const rows: readonly (readonly [text: string, ...kinds: ListKind[]])[] = [
    ["[a]\ncheckout = git clone x a\n"],
    ['# mine\n[submodule "a"]\n\tpath = a\n'],
    ["Nothing of that sort"],
    ['{"a": 1}', "amof", "meta", "code-workspace"],
    ["{ // mine\n}", "amof", "meta", "code-workspace"],
    ["version: 1\nrepos:\n  a: b\n", "repos", "west", "mani"],
    ["- git: {local-name: a}\n", "repos"],
  ];
  for (const [text, ...kinds] of rows) assertEquals(kindsThatFit(text), kinds, text);
});

Deno.test("what is no list of its kind is refused in words, whatever it holds", async () => {
  for (const kind of LIST_KINDS) {
    for (const text of ["", "[]", "{}", "\0", "a: [", "{", "repositories: 1", "<a>"]) {
      const answer = await read(kind, text).catch((error: unknown) => error);
      if (answer instanceof Error) {
        assert(answer instanceof AmofError, `${kind} ${text}: ${answer}`);
      }
    }
  }
  const bomb = `a: &a [x]\n${
    Array.from({ length: 9 }, (_, at) => {
      const before = at === 0 ? "a" : `b${at - 1}`;
      return `b${at}: &b${at} [${Array(10).fill(`*${before}`).join(", ")}]`;
    }).join("\n")
  }\nrepositories: {}\n`;
  assertStringIncludes(await refuse("repos", bomb), "expands");
});

Deno.test("settling numbers clashes, moves what may not lie where it wants, and leaves out what is unsafe", async () => {
  const list = await read(
    "repos",
    [
      "repositories:",
      ...[
        ["a/api", "https://h.test/a/api.git"],
        ["b/API", "https://h.test/b/api.git"],
        ["c/api", "git@h.test:a/api.git"],
        ["../up", "https://h.test/up.git"],
        [".amof/x", "https://h.test/x.git"],
        ["a", "https://h.test/above.git"],
        ["two words", "https://h.test/two.git"],
        ["evil", "ext::sh -c true"],
        ["dash", "--upload-pack=x"],
      ].flatMap(([path, url]) => [`  "${path}":`, "    type: git", `    url: "${url}"`]),
    ].join("\n"),
  );
  const { repos, leftOut, notes } = settle(list);
  assertEquals(repos.map(({ name, path }) => [name, path]), [
    ["api", "a/api"],
    ["API-2", "b/API"],
    ["up", null],
    ["x", null],
    ["a", null],
    ["two-words", "two words"],
  ]);
  assertEquals(leftOut.map(({ what }) => what), ["c/api", "evil", "dash"]);
  assertStringIncludes(leftOut[0]?.reason ?? "", "the same address as api");
  assertEquals(notes.filter((note) => note.includes("lies in")).length, 3);
});

Deno.test("any text becomes a slug, and names of one list always differ", () => {
  fc.assert(fc.property(fc.array(fc.string({ maxLength: 90 }), { maxLength: 12 }), (names) => {
    const { repos } = settle({
      groups: {},
      notes: [],
      repos: names.map((name, index) => ({
        what: name,
        name,
        path: null,
        url: `https://h.test/${index}.git`,
        clone: null,
        version: null,
        branch: null,
        readonly: false,
        enabled: true,
        tags: [name],
        dependsOn: [],
        depth: null,
        submodules: false,
      })),
    });
    assertEquals(repos.length, names.length);
    assertEquals(new Set(repos.map(({ name }) => name.toLowerCase())).size, names.length);
    for (const { name, tags } of repos) {
      assert(SLUG.test(name), name);
      assert(tags.every((tag) => SLUG.test(tag)));
    }
    assert(names.every((name) => SLUG.test(slugOf(name))));
  }));
});

/** Reads a list out of files that are given as texts. */
async function readFiles(kind: ListKind, files: Readonly<Record<string, string>>, home?: string) {
  const [[shown, text] = ["", ""]] = Object.entries(files);
  return await IMPORTERS[kind]({
    text,
    shown,
    home: home ?? null,
    platform: "linux",
    include: (path) => {
      const found = files[path];
      return found === undefined
        ? Promise.reject(new AmofError("invalid_arguments", path))
        : Promise.resolve(found);
    },
    within: (path) => {
      const inside = Object.keys(files).filter((name) => name.startsWith(`${path}/`)).sort();
      return Promise.resolve(inside.length === 0 ? null : inside);
    },
  });
}

Deno.test("an address is joined to another one as Python's urljoin does it", () => {
  // What urljoin of Python 3.11 answers, asked as repo asks it; without slashes at the end.
  for (
    const [base, relative, joined] of [
      ["https://h.test/platform/manifest", "..", "https://h.test"],
      ["https://h.test/platform/manifest/", ".", "https://h.test/platform"],
      ["https://h.test/a/b/c", "../..", "https://h.test"],
      ["https://h.test/a/b/c", "../../../..", "https://h.test"],
      ["https://h.test/a/b/c", "../x/", "https://h.test/a/x"],
      ["https://h.test/a/b", "", "https://h.test/a/b"],
      ["https://h.test/a/b", "x/y", "https://h.test/a/x/y"],
      ["https://h.test/a/b", "/x", "https://h.test/x"],
      ["https://h.test/a/b", "//i.test/x", "https://i.test/x"],
      ["https://h.test/a/b", "ssh://i.test/x/", "ssh://i.test/x"],
      ["https://h.test/a/b", "git@i.test:x", "git@i.test:x"],
      ["ssh://git@h.test:29418/a/b", "..", "ssh://git@h.test:29418"],
      ["git@h.test:team/list.git", "..", "git@h.test:team"],
      ["git@h.test:team/sub/list.git", "..", "git@h.test:team"],
      ["git@h.test:team/sub/list.git", ".", "git@h.test:team/sub"],
      ["/srv/git/list", "..", "/srv"],
      ["file:///srv/git/list", ".", "file:///srv/git"],
    ] as const
  ) assertEquals(joinUrl(base, relative), joined, `${base} ${relative}`);
});

Deno.test("repo's XML: projects are extended and removed as they stand, and groups are those of a sync", async () => {
  const list = await readFiles("repo-xml", {
    "d.xml": `<manifest>
      <remote name="o" fetch="https://h.test/a"/><remote name="f" fetch="https://h.test/fork"/>
      <default remote="o" revision="main" sync-s="true"/>
      <project name="art"/><project name="twice" path="one"/><project name="twice" path="two"/>
      <project name="mac" groups="notdefault,platform-darwin"/>
      <project name="here" groups="notdefault,platform-linux"/>
      <project name="off" groups="notdefault" sync-s="false"/>
      <extend-project name="art" revision="mine" remote="f" groups="extra"/>
      <extend-project name="twice" path="two" dest-path="three" revision="refs/tags/v1"/>
      <extend-project name="later" revision="x"/><project name="later"/>
      <remove-project path="one"/><remove-project name="never" optional="true"/>
    </manifest>`,
  });
  assertEquals(rowsOf(list), [
    ["art", "https://h.test/fork/art", "mine", "art", "extra"],
    ["three", "https://h.test/a/twice", "refs/tags/v1", "three", ""],
    ["mac", "https://h.test/a/mac", "main", "mac", "platform-darwin"],
    ["here", "https://h.test/a/here", "main", "here", "platform-linux"],
    ["off", "https://h.test/a/off", "main", "off", ""],
    ["later", "https://h.test/a/later", "main", "later", ""],
  ]);
  assertEquals(list.repos.filter(({ enabled }) => !enabled).map(({ name }) => name), [
    "mac",
    "off",
  ]);
  assertEquals(list.repos.filter(({ submodules }) => !submodules).map(({ name }) => name), ["off"]);
  assertEquals(list.notes, ["<extend-project> later: no project before it is called so"]);
});

Deno.test(".repos: lists that are extended are read, each beside the one that names it", async () => {
  const entry = (url: string, version: string) =>
    `{type: git, url: "https://h.test/${url}", version: ${version}}`;
  const list = await readFiles("repos", {
    "e.repos": `extends: [sub/base.repos, other.repos]\nrepositories:\n  b: ${entry("b", "new")}\n`,
    "sub/base.repos": `extends: deep.repos\nrepositories:\n  a: ${entry("a", "main")}\n  b: ${
      entry("b", "old")
    }\n`,
    "sub/deep.repos": `repositories:\n  d: ${entry("d", "main")}\n  a: ${entry("a", "deep")}\n`,
    "other.repos": `repositories:\n  a: ${entry("a", "last")}\n`,
  });
  assertEquals(rowsOf(list).map(([name, , version]) => [name, version]), [
    ["d", "main"],
    ["a", "last"],
    ["b", "new"],
  ]);
  assertEquals(list.notes, []);
  const circle = { "a.repos": "extends: b.repos", "b.repos": "extends: b.repos" };
  await assertRejects(() => readFiles("repos", circle), AmofError, "circle");
});

Deno.test("west.yml: what it imports of itself counts first, what projects import is told", async () => {
  const list = await readFiles("west", {
    "west.yml": `manifest:
  projects:
    - {name: a, url: "https://h.test/main-a", revision: v1}
    - {name: b, url: "https://h.test/b", import: true, submodules: true}
    - {name: c, url: "https://h.test/c", import: false, submodules: [{path: x}]}
  group-filter: [+x]
  self: {import: [first.yml, {file: more.yml, import-commands: a}, gone.yml, dir]}
`,
    "dir/2.yaml": `manifest: {projects: [{name: d2, url: "https://h.test/d2"}]}`,
    "dir/1.yml": `manifest: {projects: [{name: d1, url: "https://h.test/d1"}]}`,
    "dir/README.md": "no list",
    "first.yml":
      `manifest: {projects: [{name: a, url: "https://h.test/first-a"}], group-filter: [-x]}`,
    "more.yml": `manifest: {projects: [{name: m, url: "https://h.test/m", groups: [x]}]}`,
  });
  assertEquals(rowsOf(list).map(([name, url, version]) => [name, url, version]), [
    ["a", "https://h.test/first-a", "master"],
    ["m", "https://h.test/m", "master"],
    ["d1", "https://h.test/d1", "master"],
    ["d2", "https://h.test/d2", "master"],
    ["b", "https://h.test/b", "master"],
    ["c", "https://h.test/c", "master"],
  ]);
  assertEquals(list.repos.map(({ enabled, submodules }) => [enabled, submodules]), [
    [true, false],
    [false, false],
    [true, false],
    [true, false],
    [true, true],
    [true, true],
  ]);
  assertEquals(list.notes, [
    "import of more.yml: import-commands",
    "gone.yml: it cannot be read, so its projects are missing",
    "b: the projects that its own list names are missing (import)",
    "c: submodules are all of them, and not some",
  ]);
});

Deno.test("west.yml: of what it imports of itself counts what its filters take, below its prefix", async () => {
  const project = (name: string, path: string) =>
    `{name: ${name}, url: "https://h.test/${name}", path: ${path}}`;
  const files = {
    "s.yml": `manifest: {projects: [${project("a", "p/a")}, ${
      project("b", "q/b")
    }], self: {import: {file: t.yml, path-prefix: in}}}`,
    "t.yml": `manifest: {projects: [${project("c", "q/c")}]}`,
  };
  const [a, b, c] = ["a ext/p/a", "b ext/q/b", "c ext/in/q/c"];
  const table: readonly (readonly [string, readonly (string | undefined)[]])[] = [
    ["path-prefix: ext", [c, a, b]],
    ["path-prefix: ext, name-blocklist: [a, c]", [b]],
    ["path-prefix: ext, path-blocklist: q/*", [a]],
    ["path-prefix: ext, path-blocklist: ext/*", [c, a, b]],
    ["path-prefix: ext, path-blocklist: /ext/q/b", [c, a, b]],
    ["path-prefix: ext, name-allowlist: a", [a]],
    ["path-prefix: ext, path-allowlist: ext/q/*", [b]],
    ["path-prefix: ext, name-allowlist: a, path-allowlist: in/q/c", [c, a]],
    ["path-prefix: ext, path-blocklist: '*', name-allowlist: b", [b]],
    ["name-blocklist: c", ["a p/a", "b q/b"]],
  ];
  for (const [map, taken] of table) {
    const list = await readFiles("west", {
      "west.yml": `manifest: {self: {import: {file: s.yml, ${map}}}}`,
      ...files,
    });
    assertEquals(list.repos.map(({ name, path }) => `${name} ${path}`), taken, map);
    assertEquals(list.notes, [], map);
  }
});

Deno.test("mani.yaml: files that an imported file imports are those beside it", async () => {
  const list = await readFiles("mani", {
    "mani.yaml": "import: [sub/a.yaml]",
    "sub/a.yaml": "import: [b.yaml]\nprojects: {a: {url: https://h.test/a}}",
    "sub/b.yaml": "projects: {b: {url: https://h.test/b}}",
  });
  assertEquals(list.repos.map(({ name }) => name), ["a", "b"]);
});

Deno.test("gita freeze: branches, and groups in its last lines", async () => {
  const list = await read(
    "gita",
    "https://h.test/api,api,/x/api,,,main\n/srv/web.git,web,/x/web,,--bare,stable\n,grp,,api|web\n",
  );
  assertEquals(list.repos.map(({ url, version }) => [url, version]), [
    ["https://h.test/api", "main"],
    ["/srv/web.git", "stable"],
  ]);
  assertEquals(list.groups, { grp: ["api", "web"] });
  assertEquals(list.notes, ["web: flags --bare"]);
});

Deno.test("submoduleUrl() leads to where git looks for a submodule", () => {
  const cases: readonly (readonly [around: string, url: string, expected: string | null])[] = [
    ["https://h.test/team/all.git", "../api.git", "https://h.test/team/api.git"],
    ["https://h.test/team/all/", "../../other/api", "https://h.test/other/api"],
    ["https://h.test/team/all", "./api", "https://h.test/team/all/api"],
    ["https://h.test/all", "../../../api", null],
    ["git@h.test:team/all.git", "../api.git", "git@h.test:team/api.git"],
    ["git@h.test:all.git", "../api.git", "git@h.test:api.git"],
    ["git@h.test:all.git", "../../api.git", null],
    ["ssh://git@h.test:2222/all.git", "../api.git", "ssh://git@h.test:2222/api.git"],
    ["/srv/git/all.git", "../api.git/", "/srv/git/api.git"],
    ["/srv", "../../api", null],
  ];
  for (const [around, url, expected] of cases) {
    assertEquals(submoduleUrl(around, url), expected, `${url} from ${around}`);
  }
});

Deno.test(".gitmodules: where nobody knows the repository around them, addresses have to be whole", async () => {
  const settings = new Map([
    ["submodule.api.path", ["api"]],
    ["submodule.api.url", ["../api.git"]],
    ["submodule.web.path", ["web"]],
    ["submodule.web.url", ["https://h.test/old.git", "https://h.test/web.git"]],
    ["submodule.web.branch", ["."]],
    ["core.editor", ["vi"]],
  ]);
  const read = async (home: string | null) =>
    await IMPORTERS.gitmodules({
      text: "",
      shown: "list",
      home,
      platform: null,
      include: () => Promise.reject(new Error("There is no such file")),
      superproject: { settings, pins: null, branch: "next" },
    });
  const alone = await read(null);
  assertEquals(alone.repos.map(({ url, branch }) => [url, branch]), [[
    "https://h.test/web.git",
    "next",
  ]]);
  assertStringIncludes(alone.notes.join(), "which has no remote origin");
  assertEquals((await read("https://h.test/all.git")).repos[0]?.url, "https://h.test/api.git");
});
