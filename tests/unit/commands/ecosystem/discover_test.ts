// Covers findRoot(), ecosystemNames(), requireEcosystem() and currentEcosystem() (WORKSPACE-1, WORKSPACE-3).

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { currentEcosystem, requireEcosystem } from "../../../../src/commands/ecosystem/discover.ts";
import { ecosystemNames } from "../../../../src/workspace/manifest/manifest.ts";
import { findRoot } from "../../../../src/commands/ecosystem/root.ts";
import { AmofError } from "../../../../src/base/error.ts";
import { memoryWorld } from "../../../support/memory.ts";

type Files = Readonly<Record<string, string>>;

const HEAD = { "/space/.git/HEAD": "ref: refs/heads/main\n" };
const manifest = (name: string, more = "") => ({
  [`/space/ecosystems/${name}/ecosystem.yaml`]: `name: ${name}\nrepos: []\n${more}`,
});
const TWO: Files = { ...HEAD, ...manifest("demo"), ...manifest("shop") };

function root(
  files: Files,
  cwd: string,
  options: { explicit?: string; env?: Files } = {},
): Promise<string> {
  return findRoot(
    memoryWorld({ files, cwd, env: options.env ?? {} }).system,
    options.explicit ?? null,
  );
}

// findRoot()

for (
  const [marker, path] of [
    [".git", "/space/.git/HEAD"],
    [".git as a file", "/space/.git"],
    ["pyproject.toml", "/space/pyproject.toml"],
    ["scripts/amof.py", "/space/scripts/amof.py"],
    ["repos", "/space/repos/x"],
  ] as const
) {
  Deno.test(`findRoot() walks up to a directory with ecosystems/ and ${marker}`, async () => {
    const files = { ...manifest("demo"), [path]: "", "/space/a/b/file": "" };
    assertEquals(await root(files, "/space/a/b"), "/space");
  });
}

Deno.test("findRoot() passes over a directory with ecosystems/ and no marker", async () => {
  const files = { ...TWO, "/space/inner/ecosystems/x/ecosystem.yaml": "" };
  assertEquals(await root(files, "/space/inner"), "/space");
});

Deno.test("findRoot() passes over a file named ecosystems", async () => {
  assertEquals(
    await root({ ...TWO, "/space/inner/ecosystems": "", "/space/inner/.git": "" }, "/space/inner"),
    "/space",
  );
});

Deno.test("findRoot() throws root_not_found where there is none above", async () => {
  const error = await assertRejects(() => root({ "/other/file": "" }, "/other"), AmofError);
  assertEquals([error.code, error.details], ["root_not_found", { path: "/other" }]);
});

Deno.test("findRoot() says how to begin, with the clones that lie where somebody is", async () => {
  const hintIn = async (files: Files, cwd: string) =>
    (await assertRejects(() => root(files, cwd), AmofError)).hint?.split("\n").slice(0, -2);
  const alone = (line: string) => [`Begin one in a git repository of its own: ${line}`];
  const create = "amof ecosystem create NAME --commit";
  assertEquals(
    await hintIn({ "/other/file": "" }, "/other"),
    alone(`git init && ${create}`),
  );
  const clones = {
    "/my code/api/.git/HEAD": "",
    "/my code/api/.git/refs/heads/main": "",
    "/my code/web/.git": "gitdir: /elsewhere",
    "/my code/web-next/.git": "gitdir: /my code/api/.git/worktrees/web-next",
    "/my code/.hidden/.git/HEAD": "",
    "/my code/notes/README.md": "",
  };
  const from = (line: string) => [
    `Begin one with the 2 clones in /my code: ${line}${create} --from '/my code'`,
  ];
  const make = "git init '/my code/control' && cd '/my code/control' && ";
  assertEquals(await hintIn(clones, "/my code"), from(make));
  assertEquals(
    await hintIn({ ...clones, "/my code/api/src/a": "" }, "/my code/api/src"),
    from(make),
  );
  // That was done.
  const control = "/my code/control";
  assertEquals(await hintIn({ ...clones, [`${control}/.git/HEAD`]: "" }, control), from(""));
  const { "/my code/web/.git": _, ...one } = clones;
  // A repository is there already.
  assertEquals(await hintIn(one, "/my code/api"), alone(create));
  // So is a list, in a working copy beside.
  const listed = { ...clones, [`${control}/.git/HEAD`]: "", [`${control}/ecosystems/a/b`]: "" };
  for (const place of ["/my code", "/my code/api"]) {
    assertEquals(await hintIn(listed, place), [
      "Go into the one that lies here: cd '/my code/control'",
    ]);
  }
});

Deno.test("findRoot() says how one begins in a directory that was named, which no other line leads back to", async () => {
  const { system } = memoryWorld({ files: { "/a b/x": "", "/c/.git/HEAD": "" }, cwd: "/" });
  const hintOf = async (named: string) =>
    (await assertRejects(() => findRoot(system, named), AmofError)).hint?.split("\n")[1];
  const create = "amof ecosystem create NAME --commit";
  assertEquals(await hintOf("/a b"), `Begin one there: git init '/a b' && ${create}`);
  assertEquals(await hintOf("/none"), `Begin one there: git init /none && ${create}`);
  assertEquals(await hintOf("/c"), `Begin one there: ${create}`);
});

Deno.test("findRoot() says that there is none also where nobody may look around", async () => {
  const { system } = memoryWorld({ files: { "/closed/api/.git/HEAD": "" }, cwd: "/closed/api" });
  const list = () => Promise.reject(new Deno.errors.PermissionDenied("Permission denied"));
  const closed = { ...system, files: { ...system.files, list } };
  const error = await assertRejects(() => findRoot(closed, null), AmofError);
  assertEquals(error.code, "root_not_found");
});

const NAMED: readonly (readonly [string, { explicit?: string; env?: Files }, string])[] = [
  ["--root above everything", {
    explicit: "/a",
    env: { AMOF_ROOT: "/b", AMOF_WORKSPACE_ROOT: "/c", AMOF_CWD: "/d" },
  }, "/a"],
  ["AMOF_ROOT next", { env: { AMOF_ROOT: "/b", AMOF_WORKSPACE_ROOT: "/c", AMOF_CWD: "/d" } }, "/b"],
  ["AMOF_WORKSPACE_ROOT next", { env: { AMOF_WORKSPACE_ROOT: "/c", AMOF_CWD: "/d" } }, "/c"],
  ["AMOF_CWD next", { env: { AMOF_CWD: "/d" } }, "/d"],
  ["the walk when variables are empty", { env: { AMOF_ROOT: "", AMOF_CWD: "" } }, "/space"],
  ["a relative name from the working directory", { explicit: "../a" }, "/a"],
  ["a named directory without the walk's markers", { env: { AMOF_ROOT: "/bare" } }, "/bare"],
];

for (const [what, options, expected] of NAMED) {
  Deno.test(`findRoot() takes ${what}`, async () => {
    const files = Object.fromEntries(
      ["/a", "/b", "/c", "/d", "/bare", "/space"].map((
        path,
      ) => [`${path}/ecosystems/x/ecosystem.yaml`, ""]),
    );
    assertEquals(await root({ ...files, ...HEAD }, "/space", options), expected);
  });
}

Deno.test("findRoot() refuses a named directory without ecosystems/, and says who named it", async () => {
  const error = await assertRejects(
    () => root(TWO, "/space", { env: { AMOF_ROOT: "/space/ecosystems" } }),
    AmofError,
  );
  assertEquals([error.code, error.details], ["root_not_found", {
    source: "AMOF_ROOT",
    path: "/space/ecosystems",
  }]);
});

Deno.test("findRoot() does not walk up from a named directory", async () => {
  await assertRejects(
    () => root({ ...TWO, "/space/a/file": "" }, "/space", { explicit: "/space/a" }),
    AmofError,
  );
});

const LINKED: Files = {
  ...TWO,
  "/space/worktrees/demo/.git": "gitdir: /space/.git/worktrees/demo\n",
  "/space/worktrees/demo/ecosystems/demo/ecosystem.yaml": "name: demo\nrepos: []\n",
  "/space/.git/worktrees/demo/commondir": "../..\n",
  "/space/.git/worktrees/demo/HEAD": "ref: refs/heads/workspace/demo\n",
};

Deno.test("findRoot() answers the main working copy from within a linked worktree", async () => {
  assertEquals(await root(LINKED, "/space/worktrees/demo"), "/space");
  assertEquals(await root(LINKED, "/", { explicit: "/space/worktrees/demo" }), "/space");
});

Deno.test("findRoot() stays in a linked worktree whose main working copy has no ecosystems/", async () => {
  const files = Object.fromEntries(
    Object.entries(LINKED).filter(([path]) => !path.startsWith("/space/ecosystems/")),
  );
  assertEquals(await root(files, "/space/worktrees/demo"), "/space/worktrees/demo");
});

// ecosystemNames() and requireEcosystem()

Deno.test("ecosystemNames() lists directories with a manifest, sorted", async () => {
  const { system } = memoryWorld({
    files: {
      ...TWO,
      ...manifest("api"),
      "/space/ecosystems/no-manifest/README.md": "",
      "/space/ecosystems/file.yaml": "",
      "/space/ecosystems/.hidden/ecosystem.yaml": "",
      "/space/ecosystems/not a slug/ecosystem.yaml": "",
    },
  });
  assertEquals(await ecosystemNames(system, "/space"), ["api", "demo", "shop"]);
});

Deno.test("requireEcosystem() passes over one that exists, valid or not", async () => {
  const { system } = memoryWorld({ files: { "/space/ecosystems/demo/ecosystem.yaml": "" } });
  await requireEcosystem(system, "/space", "demo");
});

Deno.test("requireEcosystem() names the nearest one and all there are", async () => {
  const { system } = memoryWorld({ files: TWO });
  const error = await assertRejects(() => requireEcosystem(system, "/space", "dmo"), AmofError);
  assertEquals([error.code, error.details], [
    "ecosystem_not_found",
    { ecosystem: "dmo", available: ["demo", "shop"], did_you_mean: "demo" },
  ]);
  assertStringIncludes(error.hint ?? "", "demo and shop");
});

Deno.test("requireEcosystem() says how to begin when there is none", async () => {
  const { system } = memoryWorld({ files: { "/space/ecosystems/README.md": "" } });
  const error = await assertRejects(() => requireEcosystem(system, "/space", "demo"), AmofError);
  assertEquals(error.hint, "Create one: amof ecosystem create NAME");
});

// currentEcosystem()

async function current(
  files: Files,
  cwd: string,
  chosen: string | null = null,
): Promise<{ readonly name: string; readonly asked: boolean }> {
  let asked = false;
  const name = await currentEcosystem(memoryWorld({ files, cwd }).system, "/space", () => {
    asked = true;
    return Promise.resolve(chosen);
  });
  return { name, asked };
}

const AGENT = { "/space/.amof/agent.yaml": "default_ecosystem: demo\n" };
const SHOP_BRANCH = { "/space/.git/HEAD": "ref: refs/heads/workspace/shop\n" };

const CURRENT: readonly (readonly [string, Files, string, string | null, string])[] = [
  ["the workspace where the caller stands", TWO, "/space/worktrees/demo/repos/api", "shop", "demo"],
  ["the ecosystem's own directory", TWO, "/space/ecosystems/demo/kb", "shop", "demo"],
  [
    "a workspace in a place of its own",
    { ...HEAD, ...manifest("demo", "workspace_dir: elsewhere/d\n"), ...manifest("shop") },
    "/space/elsewhere/d/repos",
    "shop",
    "demo",
  ],
  [
    "the place before the branch",
    { ...TWO, ...SHOP_BRANCH },
    "/space/worktrees/demo",
    null,
    "demo",
  ],
  ["the branch before the choice", { ...TWO, ...SHOP_BRANCH }, "/space", "demo", "shop"],
  ["the choice before the agent file", { ...TWO, ...AGENT }, "/space", "shop", "shop"],
  ["the agent file before nothing", { ...TWO, ...AGENT }, "/space", null, "demo"],
  ["the agent file when the choice is gone", { ...TWO, ...AGENT }, "/space", "deleted", "demo"],
  [
    "a quoted name in the agent file",
    { ...TWO, "/space/.amof/agent.yaml": 'x: 1\ndefault_ecosystem: "shop"\n' },
    "/space",
    null,
    "shop",
  ],
  ["the only one there is", { ...HEAD, ...manifest("demo") }, "/space", null, "demo"],
  [
    "the branch of a linked worktree anywhere",
    {
      ...TWO,
      "/far/.git": "gitdir: /space/.git/worktrees/far\n",
      "/space/.git/worktrees/far/HEAD": "ref: refs/heads/workspace/shop\n",
      "/far/sub/file": "",
    },
    "/far/sub",
    "demo",
    "shop",
  ],
];

for (const [what, files, cwd, chosen, expected] of CURRENT) {
  Deno.test(`currentEcosystem() takes ${what}`, async () => {
    assertEquals((await current(files, cwd, chosen)).name, expected);
  });
}

Deno.test("currentEcosystem() is not misled by a directory that only begins like a workspace", async () => {
  assertEquals((await current(TWO, "/space/worktrees/demo-old", "shop")).name, "shop");
});

Deno.test("currentEcosystem() is not misled by a broken manifest beside", async () => {
  const files = {
    ...HEAD,
    "/space/ecosystems/broken/ecosystem.yaml": "repos: [",
    ...manifest("demo", "workspace_dir: elsewhere\n"),
  };
  assertEquals((await current(files, "/space/elsewhere")).name, "demo");
});

Deno.test("currentEcosystem() asks for the choice only when the place does not tell", async () => {
  assertEquals((await current(TWO, "/space/worktrees/demo")).asked, false);
  assertEquals((await current({ ...HEAD, ...manifest("demo") }, "/space")).asked, false);
  assertEquals((await current(TWO, "/space", "demo")).asked, true);
});

Deno.test("currentEcosystem() throws scope_required with the names when several are possible", async () => {
  const error = await assertRejects(() => current(TWO, "/space"), AmofError);
  assertEquals([error.code, error.details], ["scope_required", { available: ["demo", "shop"] }]);
  assertMatch(error.hint ?? "", /--ecosystem NAME.*Available: demo and shop/);
});

Deno.test("currentEcosystem() throws scope_required when there is none at all", async () => {
  const error = await assertRejects(
    () => current({ ...HEAD, "/space/ecosystems/README.md": "" }, "/space"),
    AmofError,
  );
  assertEquals([error.code, error.hint], [
    "scope_required",
    "Create one: amof ecosystem create NAME",
  ]);
});
