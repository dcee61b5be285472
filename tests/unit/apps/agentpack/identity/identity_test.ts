import { assertEquals } from "@std/assert";
import {
  alternativeProjectId,
  fsKey,
  idProblem,
  isSafeComponent,
  machineId,
  normalizeMachineId,
  originProjectId,
  rootProjectId,
  skillName,
  unboundedFsKey,
} from "../../../../../src/apps/agentpack/identity.ts";
import { memoryWorld } from "../../../../support/memory.ts";

Deno.test("fsKey() gives the vectors of appendix A", () => {
  const vectors = {
    "instructions:base": "instructions_base--d39861fff1",
    "prompt:draftpr": "prompt_draftpr--5fa7992a2a",
    "command:ap-plan": "command_ap-plan--21ccfa818f",
    "a:b": "a_b--6783a31eab",
    "a/b": "a_b--c14cddc033",
    "": "module--e3b0c44298",
    "skill:日本": "skill___--df2df4b282",
    "skill:🙂": "skill__--40f51533c5",
    ["a".repeat(300)]: `${"a".repeat(64)}--9835fa6bf4`,
  };
  for (const [id, key] of Object.entries(vectors)) assertEquals(fsKey(id), key);
});

Deno.test("unboundedFsKey() keeps the whole readable part", () => {
  assertEquals(unboundedFsKey("a".repeat(300)), `${"a".repeat(300)}--9835fa6bf4`);
  assertEquals(unboundedFsKey("a:b"), fsKey("a:b"));
});

Deno.test("skillName() is what follows the first colon, or the sanitised id", () => {
  assertEquals(skillName("skill:a:b"), "a:b");
  assertEquals(skillName("release notes"), "release_notes");
});

Deno.test("idProblem() names what would leave the root of a target (weakness 9.21)", () => {
  for (const id of ["", "skill:", "skill:..", "skill:a/../b", "skill:a//b", "skill:a\\b"]) {
    assertEquals(typeof idProblem(id), "string", id);
  }
  for (const id of ["skill:/etc", "skill:C:/x", "skill:a\0b", "a\nb"]) {
    assertEquals(typeof idProblem(id), "string", id);
  }
  for (const id of ["skill:a", "skill:a/b", "skill:.hidden", "no colon", "skill:a:b"]) {
    assertEquals(idProblem(id), null, id);
  }
});

Deno.test("isSafeComponent() refuses separators, and on Windows the reserved characters", () => {
  assertEquals(isSafeComponent("prompt:x", "linux"), true);
  assertEquals(isSafeComponent("prompt:x", "windows"), false);
  assertEquals(isSafeComponent("a/b", "linux"), false);
  assertEquals(isSafeComponent("..", "linux"), false);
});

Deno.test("normalizeMachineId() gives the vectors of appendix A", () => {
  const vectors = {
    " My Mac.local ": "my-mac-local",
    "a.-b": "a--b",
    "a-.b": "a-b",
    "--x--": "x",
    "Büro_1": "b-ro_1",
    "...": "",
  };
  for (const [text, id] of Object.entries(vectors)) assertEquals(normalizeMachineId(text), id);
});

Deno.test("machineId() takes the first source that leaves something", () => {
  const env = (values: Record<string, string>) => memoryWorld({ env: values }).system.env;
  assertEquals(machineId(env({ AGENTPACK_MACHINE_ID: "...", HOSTNAME: "Host.1" })), "host-1");
  assertEquals(machineId(env({ COMPUTERNAME: "PC" })), "pc");
  assertEquals(machineId(env({}), "Given"), "given");
  assertEquals(machineId(env({}), "..."), "memory");
});

Deno.test("machineId() says unknown when no source tells", () => {
  assertEquals(machineId({ ...memoryWorld().system.env, hostname: () => null }), "unknown");
});

Deno.test("originProjectId() gives the vectors of appendix A", () => {
  const vectors = {
    "https://github.com/Acme/Widgets.git": "f60ecdb16e5e8e82",
    "git@github.com:Acme/Widgets.git": "f60ecdb16e5e8e82",
    "http://github.com/acme/widgets": "f60ecdb16e5e8e82",
    "ssh://git@github.com/acme/widgets.git": "300176b1ab5dec63",
    "https://github.com/acme/widgets/": "179ff6714d6fc48d",
    "/srv/git/widgets.git": "52cf179834be9600",
    "https://github.com/example/example.git": "ae2752b5775071e2",
  };
  for (const [origin, id] of Object.entries(vectors)) assertEquals(originProjectId(origin), id);
});

Deno.test("rootProjectId() hashes the root", () => {
  assertEquals(rootProjectId("/home/dev/widgets"), "7bfd95b470933c2d");
});

Deno.test("alternativeProjectId() brings the blind spots to the plain https form", () => {
  const plain = "f60ecdb16e5e8e82";
  for (
    const origin of [
      "ssh://git@github.com/acme/widgets.git",
      "ssh://git@github.com:22/acme/widgets.git",
      "https://github.com/acme/widgets/",
      "https://user:secret@github.com/acme/widgets.git",
      "https://github.com:443/acme/widgets",
      "dev@github.com:acme/widgets.git",
    ]
  ) assertEquals(alternativeProjectId(origin), plain, origin);
  assertEquals(alternativeProjectId("https://github.com/acme/widgets"), null);
  assertEquals(alternativeProjectId("/srv/git/widgets.git"), null);
  assertEquals(alternativeProjectId("file:///srv/git/widgets.git"), null);
});
