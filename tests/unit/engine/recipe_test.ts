// What is handed to those who run arrays on Kubernetes fits what this program makes and asks for.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parseAllDocuments } from "yaml";
import { debianVersion } from "../../../.github/packaging/debian.ts";
import { TARGETS } from "../../../.github/packaging/targets.ts";
import { jobObject } from "../../../src/engine/kubernetes/manifest.ts";
import { fieldsOf, memberAt } from "../../../src/base/object.ts";
import { RECIPE } from "./_recipe.ts";

function read(name: string): Promise<string> {
  const path = new URL(`../../../.github/packaging/engine/${name}`, import.meta.url);
  return Deno.readTextFile(fromFileUrl(path));
}

async function objects(name: string): Promise<Record<string, unknown>[]> {
  return parseAllDocuments(await read(name)).map((document) => {
    assertEquals(document.errors, []);
    return { ...fieldsOf(document.toJS()) };
  });
}

Deno.test("the Job that is shown is the one that is made", async () => {
  const made = jobObject(RECIPE, { GIT_TERMINAL_PROMPT: "0" });
  assertEquals(await objects("job.yaml"), [JSON.parse(JSON.stringify(made))]);
});

Deno.test("the image is made of what a release has, and runs as the Job says", async () => {
  const text = await read("Containerfile");
  const copied = /^# +cp (\S+) amof\.deb$/m.exec(text)?.[1] ?? "";
  const names = TARGETS.filter(({ debian }) => debian !== null)
    .map(({ debian }) => `amof_${debianVersion("1.2.3")}_${debian}.deb`);
  const pattern = new RegExp(`^${copied.replaceAll(".", "\\.").replace("*", ".*")}$`);
  assertEquals(names.filter((name) => pattern.test(name)).length, 1, copied);
  assertMatch(text, /^COPY amof\.deb /m);
  for (const needed of ["git", "openssh-client", "ca-certificates"]) {
    assert(new RegExp(`install .*\\b${needed}\\b`).test(text), needed);
  }
  const spec = memberAt(jobObject(RECIPE, {}), ["spec", "template", "spec"]);
  const user = memberAt(spec, ["securityContext", "runAsUser"]);
  const group = memberAt(spec, ["securityContext", "runAsGroup"]);
  assertEquals(/^USER (.*)$/m.exec(text)?.[1], `${user}:${group}`);
  assertMatch(text, new RegExp(`useradd --uid ${user} `));
  const home = /--home-dir (\S+)/.exec(text)?.[1];
  const mounts = memberAt(spec, ["containers", 0, "volumeMounts"]);
  assert(Array.isArray(mounts) && mounts.some((one) => memberAt(one, ["mountPath"]) === home));
});

Deno.test("the place for arrays lets amof do what it asks, and pods nothing but clone", async () => {
  const all = await objects("cluster.yaml");
  const of = (kind: string) => all.find((object) => object["kind"] === kind);
  const { profile } = RECIPE;
  assertEquals(memberAt(of("Namespace"), ["metadata", "name"]), profile.kubernetes.namespace);
  for (const object of all.filter(({ kind }) => kind !== "Namespace")) {
    assertEquals(memberAt(object, ["metadata", "namespace"]), profile.kubernetes.namespace);
  }
  const rules = memberAt(of("Role"), ["rules"]);
  assert(Array.isArray(rules));
  const verbs = new Map(rules.map((rule) => [
    String(memberAt(rule, ["resources", 0])),
    memberAt(rule, ["verbs"]),
  ]));
  assertEquals([...verbs], [
    ["jobs", ["create", "get", "list", "watch", "patch", "delete"]],
    ["configmaps", ["create"]],
    ["pods", ["get", "list", "watch"]],
    ["pods/log", ["get"]],
  ]);
  // The words that follow kubectl in the room of this engine, and what of the above each needs.
  const room = new URL("../../../src/engine/kubernetes/", import.meta.url);
  const asked = new Set<string>();
  for await (const { name } of Deno.readDir(room)) {
    const text = await Deno.readTextFile(new URL(name, room));
    for (
      const [, word = ""] of text.matchAll(/\[\s*"(create|get|patch|delete|apply|exec|logs)"/g)
    ) {
      asked.add(word);
    }
  }
  assertEquals([...asked].toSorted(), ["create", "delete", "get", "logs", "patch"]);
  const policy = of("NetworkPolicy");
  assertEquals(memberAt(policy, ["spec", "policyTypes"]), ["Ingress", "Egress"]);
  assertEquals(memberAt(policy, ["spec", "ingress"]), []);
});
