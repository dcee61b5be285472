// Covers makeGuard(), globProblem() and looksSecret(): which names are guarded, and which look secret.

import { assertEquals } from "@std/assert";
import {
  globProblem,
  looksSecret,
  makeGuard,
  touches,
} from "../../../../src/workspace/manifest/guard.ts";

/** A glob, what it guards, and what it leaves alone. */
const GLOBS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["secrets/**", ["secrets/a", "secrets/a/b.txt", "secrets"], ["x/secrets/a", "secrets2/a"]],
  ["secrets", ["secrets", "secrets/a/b", "deep/secrets/a"], ["secrets.txt", "mysecrets/a"]],
  ["infra/prod/", ["infra/prod/main.tf", "infra/prod"], ["infra/production/a", "x/infra/prod/a"]],
  ["*.pem", ["k.pem", "deep/er/k.pem", "K.PEM", "dir.pem/x"], ["k.pem.txt", "pem"]],
  ["**/*.lock", ["a.lock", "x/y/a.lock"], ["a.locks"]],
  ["legal/*/LICENSE", ["legal/a/LICENSE"], ["legal/LICENSE", "legal/a/b/LICENSE"]],
  ["docs/{api,web}.md", ["docs/api.md", "docs/web.md"], ["docs/x.md"]],
  ["v?/x", ["v1/x"], ["v12/x"]],
  ["./a/b", ["a/b", "a/b/c"], ["b"]],
  ["/a/b", ["a/b"], ["x/a/b"]],
  ["Data/", ["data/x", "DATA/x"], ["database/x"]],
  ["(a+)+$", ["(a+)+$"], ["aaaa"]],
];

for (const [glob, guarded, free] of GLOBS) {
  Deno.test(`the guard ${glob} guards what it names, and nothing else`, async () => {
    const guard = await makeGuard(["unrelated/**", glob]);
    for (const path of guarded) assertEquals(guard.glob(path), glob, path);
    for (const path of free) assertEquals(guard.glob(path), null, path);
  });
}

Deno.test("a guard knows names with line breaks and letters of two forms", async () => {
  const guard = await makeGuard(["a/**", "caf\u00e9.txt"]);
  assertEquals(guard.glob("a/x\ny"), "a/**");
  assertEquals(guard.glob("cafe\u0301.txt"), "caf\u00e9.txt");
});

Deno.test("a guard takes no longer for a glob that was made to take long", async () => {
  const guard = await makeGuard([`${"*a".repeat(30)}b`, `${"**/".repeat(30)}x`]);
  assertEquals(guard.glob("a".repeat(5_000)), null);
  assertEquals(guard.glob("y/".repeat(2_000)), null);
});

Deno.test("what is allowed by path or by glob is touched no more", async () => {
  const guard = await makeGuard(["a/**", "b"]);
  const paths = ["a/1", { path: "b", commit: "c1" }, { path: "b", commit: "c2" }, "c"];
  assertEquals(touches(guard, paths), [
    { path: "a/1", glob: "a/**", commit: null },
    { path: "b", glob: "b", commit: "c1" },
  ]);
  assertEquals(touches(guard, paths, ["a/**"]).map(({ path }) => path), ["b"]);
  assertEquals(touches(guard, paths, ["a/1", "b"]), []);
  assertEquals(touches(guard, paths, ["a"]).map(({ path }) => path), ["a/1", "b"]);
});

Deno.test("globProblem() names what could guard nothing", () => {
  for (const glob of ["", "/", "./", "!a", "../a", "a/../../b", "a\nb", "[z-a]"]) {
    assertEquals(typeof globProblem(glob), "string", JSON.stringify(glob));
  }
  for (const glob of ["a", "**", "*.x", "a b", "[a-z]/x", "ü"]) {
    assertEquals(globProblem(glob), null, glob);
  }
});

Deno.test("looksSecret() knows the names that secrets have, and not their harmless neighbours", () => {
  const secret = [
    ".env",
    "deep/.ENV",
    ".env.production",
    ".env.local",
    "server.key",
    "tls/cert.pem",
    ".pem",
    "store.p12",
    "id_rsa",
    ".ssh/id_ed25519",
    ".ssh/deploy",
    "credentials",
    "credentials.json",
    ".aws/credentials",
    "secrets.yaml",
    ".netrc",
    ".git-credentials",
    "kubeconfig",
    "prod.tfvars",
    "terraform.tfstate",
    "my-service-account-key.json",
  ];
  const harmless = [
    ".env.example",
    ".env.production.sample",
    "env",
    "id_rsa.pub",
    ".ssh/known_hosts",
    "keyboard.ts",
    "key",
    "monkey.txt",
    "pem.md",
    "credentials.ts",
    "secretary.txt",
    "secrets/README.md",
    "environment.yml",
  ];
  assertEquals(secret.filter((path) => !looksSecret(path)), []);
  assertEquals(harmless.filter(looksSecret), []);
});
