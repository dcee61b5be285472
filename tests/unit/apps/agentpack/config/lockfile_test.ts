import { assertEquals } from "@std/assert";
import {
  type LockedModule,
  readLockfile,
  requireLockfile,
  writeLockfile,
} from "../../../../../src/apps/agentpack/config/lockfile.ts";
import { memoryWorld } from "../../../../support/memory.ts";
import { assertCode } from "../../../../support/assert_code.ts";

const PATH = "/repo/agentpack.lock.json";
const local: LockedModule = {
  id: "skill:b",
  type: "skill",
  resolved_source: { local_path: { path: "modules/b" }, git: null },
  resolved_version: "local",
  sha256: "00",
  file_manifest: [{ path: "SKILL.md", sha256: "11", bytes: 52 }],
};
const fromGit: LockedModule = {
  ...local,
  id: "skill:a",
  resolved_source: { local_path: null, git: { url: "u", commit: "c".repeat(40), subdir: "" } },
  resolved_version: "c".repeat(40),
};

Deno.test("writeLockfile() writes the fields in order, modules sorted by id, absent sources as null", async () => {
  const { system, files } = memoryWorld();
  await writeLockfile(system.files, PATH, [local, fromGit], "2026-02-03T08:15:30.123000000Z");
  assertEquals(
    files.get(PATH),
    `{
  "version": 1,
  "generated_at": "2026-02-03T08:15:30.123000000Z",
  "modules": [
    {
      "id": "skill:a",
      "type": "skill",
      "resolved_source": {
        "local_path": null,
        "git": {
          "url": "u",
          "commit": "${"c".repeat(40)}",
          "subdir": ""
        }
      },
      "resolved_version": "${"c".repeat(40)}",
      "sha256": "00",
      "file_manifest": [
        {
          "path": "SKILL.md",
          "sha256": "11",
          "bytes": 52
        }
      ]
    },
    {
      "id": "skill:b",
      "type": "skill",
      "resolved_source": {
        "local_path": {
          "path": "modules/b"
        },
        "git": null
      },
      "resolved_version": "local",
      "sha256": "00",
      "file_manifest": [
        {
          "path": "SKILL.md",
          "sha256": "11",
          "bytes": 52
        }
      ]
    }
  ]
}
`,
  );
});

Deno.test("writeLockfile() keeps the time when nothing else changed", async () => {
  const { system, files } = memoryWorld();
  await writeLockfile(system.files, PATH, [local], "first");
  const before = files.get(PATH);
  await writeLockfile(system.files, PATH, [local], "second");
  assertEquals(files.get(PATH), before);
  await writeLockfile(system.files, PATH, [local, fromGit], "third");
  assertEquals(JSON.parse(files.get(PATH) ?? "").generated_at, "third");
});

Deno.test("readLockfile() ignores unknown fields", async () => {
  const text = '{"version":1,"generated_at":"x","modules":[],"more":1}';
  const { files } = memoryWorld({ files: { [PATH]: text } }).system;
  assertEquals((await readLockfile(files, PATH)).kind, "usable");
});

Deno.test("requireLockfile() tells missing, broken and too new apart", async () => {
  const require = (text?: string) =>
    requireLockfile(
      memoryWorld({ files: text === undefined ? {} : { [PATH]: text } }).system.files,
      PATH,
    );
  await assertCode("E_LOCKFILE_MISSING", () => require(), { path: PATH });
  await assertCode("E_LOCKFILE_INVALID", () => require("{"), { path: PATH });
  await assertCode("E_LOCKFILE_INVALID", () => require('{"version":1,"modules":[]}'), {
    path: PATH,
  });
  await assertCode("E_LOCKFILE_UNSUPPORTED_VERSION", () => require('{"version":2}'), {
    path: PATH,
    version: 2,
    supported: [1],
  });
});
