// Covers the chain of the audit log (AUDIT-1 to AUDIT-3): whatever is changed, removed, added or moved is found and the
// entry named.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { checkExport, checkLog } from "../../src/commands/audit/check.ts";
import { anchorDigits, type NewAuditEntry, sealText } from "../../src/state/store/mod.ts";
import { openStore } from "../../src/state/store/open.ts";
import { approvedWithPasskey, type Deviation } from "../support/passkey.ts";
import { decision } from "../unit/state/store/_records.ts";
import { SCHEMA_V1 } from "../unit/state/store/_schema_v1.ts";
import { cases } from "../support/sample.ts";
import { sha256 } from "../../src/base/hash.ts";

const LENGTH = 6;
/** Every column of the log. */
const TEXTS = [
  "door",
  "client",
  "session_id",
  "root",
  "ecosystem",
  "tool",
  "args",
  "mode",
  "decision",
  "way",
  "fingerprint",
  "outcome",
  "run_id",
  "evidence",
  "previous",
  "hash",
];

/** What a passkey signed for the preview of every entry. */
const SIGNED = await approvedWithPasskey({ request: "3f0c6f4e", fingerprint: "f1", nonce: "77" });

function entry(n: number, others: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return decision({
    at: 1_700_000_000_000 + n * 1000,
    client: "editor 1.2 \ufffd",
    tool: `tool_${n}`,
    args: { repos: ["api"], nested: { n: null }, message: "ü\u0000\ud800" },
    evidence: SIGNED,
    ...others,
  });
}

/** A log of some entries in a directory of its own, and a second connection that changes it as anybody could. */
class Log implements AsyncDisposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "amof-chain-" });
  readonly path = join(this.directory, "amof.db");
  readonly store = openStore(this.path);
  readonly raw = new DatabaseSync(this.path);

  constructor(length = LENGTH) {
    for (let n = 1; n <= length; n++) this.store.audit.add(entry(n));
  }

  get anchor(): string {
    return join(this.directory, "audit.anchor");
  }

  lines(): Record<string, unknown>[] {
    return this.store.audit.stored(0, 1000).map(({ exported }) => ({ ...exported }));
  }

  async check(wanted: string | null = null) {
    return await checkLog(this.store.audit, wanted, () => Promise.resolve());
  }

  async found(): Promise<string[]> {
    return (await this.check()).findings.map(({ problem, id }) => `${problem} ${id}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.raw.close();
    this.store.close();
    await Deno.remove(this.directory, { recursive: true });
  }
}

async function inLines(lines: readonly unknown[]): Promise<string[]> {
  const text = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line));
  const { findings } = await checkExport(text.join("\n"), null, () => Promise.resolve());
  return findings.map(({ problem, id }) => `${problem} ${id}`);
}

Deno.test("a log that nobody touched is in order, by itself and as an export", async () => {
  await using log = new Log();
  const checked = await log.check();
  assertEquals(checked.findings, []);
  assertEquals([checked.entries, checked.head?.id, checked.anchoredFrom], [LENGTH, LENGTH, 1]);
  assertEquals(await inLines(log.lines()), []);
  for (let from = 1; from < LENGTH; from++) {
    assertEquals(await inLines(log.lines().slice(from)), []);
  }
  await using empty = new Log(0);
  assertEquals((await empty.check()).findings, []);
});

Deno.test("one changed byte in any column of any entry is found, and the entry named", async () => {
  await using log = new Log();

  for (const column of [...TEXTS, "at", "chained"]) {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: LENGTH }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (id, place, change) => {
          const row = log.raw.prepare(`SELECT hex(${column}) AS bytes FROM audit WHERE id = ?`).get(
            id,
          );
          const bytes = Uint8Array.fromHex(String(row?.["bytes"]));
          if (column === "at" || column === "chained") {
            const digits = new TextDecoder().decode(bytes);
            const at = place % digits.length;
            const digit = (Number(digits[at]) + 1 + change % 9) % 10;
            log.raw.exec("BEGIN");
            log.raw.prepare(`UPDATE audit SET ${column} = ? WHERE id = ?`)
              .run(Number(digits.slice(0, at) + digit + digits.slice(at + 1)), id);
          } else {
            const at = place % Math.max(1, bytes.length);
            const changed = bytes.length === 0
              ? new Uint8Array([change])
              : bytes.with(at, (bytes[at] ?? 0) ^ change);
            log.raw.exec("BEGIN");
            log.raw.prepare(`UPDATE audit SET ${column} = CAST(? AS TEXT) WHERE id = ?`).run(
              changed,
              id,
            );
          }
          log.raw.exec("COMMIT");
          try {
            const { findings } = await log.check();
            assertEquals([findings[0]?.id, findings[0]?.problem, findings.length], [
              id,
              "changed",
              1,
            ]);
            if (column !== "tool") assertEquals(findings[0]?.tool, `tool_${id}`);
            // The next entry holds another hash than one that was changed, so it is told what it was.
            if (column === "hash" && id < LENGTH) {
              assertEquals(findings[0]?.detail, "Its hash was changed");
            }
          } finally {
            const old = column === "at" || column === "chained"
              ? Number(new TextDecoder().decode(bytes))
              : bytes;
            log.raw.prepare(
              `UPDATE audit SET ${column} = ${
                typeof old === "number" ? "?" : "CAST(? AS TEXT)"
              } WHERE id = ?`,
            ).run(old, id);
          }
        },
      ),
      { numRuns: cases(8, 3) },
    );
  }
  assertEquals(await log.found(), []);
});

Deno.test("text behind a NUL, another spelling of the same JSON and a NULL are changes", async () => {
  for (
    const change of [
      "client = client || char(0) || 'x'",
      "args = replace(args, ':', ': ')",
      "evidence = NULL",
      "run_id = NULL",
      "fingerprint = ''",
      "chained = 0",
      "evidence = evidence || ' '",
    ]
  ) {
    await using log = new Log();
    log.raw.exec(`UPDATE audit SET ${change} WHERE id = 3`);
    assertEquals(await log.found(), ["changed 3"], change);
  }
});

Deno.test("entries that were removed, added, moved or written anew are named, each in its way", async () => {
  const CASES: readonly (readonly [string, string, readonly string[]])[] = [
    ["the first is removed", "DELETE FROM audit WHERE id = 1", ["removed 1"]],
    ["one is removed", "DELETE FROM audit WHERE id = 3", ["removed 3"]],
    ["two are removed", "DELETE FROM audit WHERE id IN (3, 4)", ["removed 3"]],
    [
      "one is removed and the rest counted anew",
      "DELETE FROM audit WHERE id = 3; UPDATE audit SET id = id - 1 WHERE id > 3",
      ["removed 3"],
    ],
    [
      "two change places",
      "UPDATE audit SET id = 99 WHERE id = 3; UPDATE audit SET id = 3 WHERE id = 4; UPDATE audit SET id = 4 WHERE id = 99",
      ["reordered 3"],
    ],
    [
      "a copy is put in between",
      "UPDATE audit SET id = -id - 1 WHERE id > 3; UPDATE audit SET id = -id WHERE id < 0; INSERT INTO audit SELECT 4, at, door, client, session_id, root, ecosystem, tool, args, mode, decision, way, fingerprint, outcome, run_id, evidence, chained, previous, hash, ticket FROM audit WHERE id = 2",
      ["inserted 4"],
    ],
    ["a number is changed", "UPDATE audit SET id = 90 WHERE id = 6", ["changed 90"]],
    ["a number is beyond all", "UPDATE audit SET id = 9007199254740993 WHERE id = 6", [
      "inserted 9007199254740992",
      "cut_off 6",
    ]],
    ["a number is below all", "UPDATE audit SET id = -4 WHERE id = 6", [
      "inserted -4",
      "cut_off 6",
    ]],
    ["the last is cut off", "DELETE FROM audit WHERE id = 6", ["cut_off 6"]],
    ["many are cut off", "DELETE FROM audit WHERE id > 2", ["cut_off 3"]],
    ["all are cut off", "DELETE FROM audit", ["cut_off 1"]],
  ];
  for (const [that, sql, findings] of CASES) {
    await using log = new Log();
    log.raw.exec(sql);
    assertEquals(
      (await log.found()).filter((each) => !/^cut_off/.test(each) || findings.includes(each)),
      findings,
      that,
    );
  }
});

/** The line of another entry with a hash of its own, as one who knows how can write it. */
function forged(line: Record<string, unknown>, others: Record<string, unknown>) {
  const { hash: _, ...members } = { ...line, ...others };
  return { ...members, hash: sha256(sealText(members)) };
}

Deno.test("an entry that was written anew with its hash is found by what its neighbours hold", async () => {
  await using log = new Log();
  const lines = log.lines();
  const [, , third = {}, fourth = {}] = lines;
  assertEquals(await inLines(lines.with(2, forged(third, { tool: "other" }))), ["replaced 3"]);
  assertEquals(await inLines(lines.with(2, forged(third, { previous: "0".repeat(64) }))), [
    "replaced 3",
  ]);
  assertEquals(await inLines(lines.toSpliced(3, 0, forged(fourth, { tool: "other" }))), [
    "inserted 4",
  ]);
  assertEquals(await inLines(lines.toSpliced(3, 0, forged(fourth, { id: 77 }))), ["inserted 77"]);
  assertEquals(await inLines([...lines.slice(0, 2), "{", ...lines.slice(3)]), ["changed 3"]);
  assertEquals(await inLines([...lines.slice(0, 3), third, ...lines.slice(3)]), ["inserted 3"]);
  const [found] = (await checkExport(
    `${JSON.stringify({ ...third, at: "9999-99-99T99:99:99.999Z" })}\n`,
    null,
    () => Promise.resolve(),
  )).findings;
  assertEquals([found?.problem, found?.id, found?.at], ["changed", 3, null]);
  assertEquals(await inLines(lines.toReversed()).then((found) => found.length > 0), true);
  assertEquals(await inLines(lines.with(3, { ...fourth, more: 1 })), ["changed 4"]);
});

Deno.test("a log whose end was written anew, hashes and all, is found by its anchor", async () => {
  await using log = new Log();
  log.raw.exec("DELETE FROM audit WHERE id > 3");
  log.store.audit.add(entry(4, { tool: "other" }));
  for (let n = 5; n <= LENGTH + 2; n++) log.store.audit.add(entry(n));
  assertEquals(await log.found(), ["replaced 4"]);
  await Deno.remove(log.anchor);
  assertEquals(await log.found(), ["cut_off 8"], "a log without its anchor");
  log.store.audit.add(entry(9));
  const checked = await log.check();
  assertEquals([checked.findings, checked.anchoredFrom], [[], 9], "as documented: nobody can tell");
});

Deno.test("the hash of an entry that was kept elsewhere must be there", async () => {
  await using log = new Log();
  const hash = String(log.lines()[3]?.["hash"]);
  assertEquals((await log.check(hash.slice(0, 16))).findings, []);
  const [missed] = (await log.check("0".repeat(16))).findings;
  assertStringIncludes(missed?.detail ?? "", "0000000000000000");
});

Deno.test("an anchor that lags behind, or has a torn line, is no finding", async () => {
  await using log = new Log();
  const text = await Deno.readTextFile(log.anchor);
  const lines = text.split("\n").filter((line) => line !== "");
  assertEquals(lines[0], `1 ${anchorDigits(String(log.lines()[0]?.["hash"]))}`);
  assertEquals(lines.length, LENGTH);
  await Deno.writeTextFile(log.anchor, `${lines.slice(0, 4).join("\n")}\n5 3f`);
  assertEquals(await log.found(), []);
});

Deno.test("half a number that a killed process left in an anchor does not become one with the next", async () => {
  for (const half of ["9", "9 3", `9 ${"3".repeat(32)}`.slice(0, -1)]) {
    await using log = new Log();
    await Deno.writeTextFile(log.anchor, half, { append: true });
    log.store.audit.add(entry(LENGTH + 1));
    assertEquals(await log.found(), [], half);
    assertEquals(log.store.audit.anchored()?.at(-1)?.id, LENGTH + 1, half);
  }
});

Deno.test("a program of an older version that still runs is chained behind by the next entry", async () => {
  await using log = new Log();
  const old = () =>
    log.raw.exec(
      "INSERT INTO audit (at, door, client, session_id, root, ecosystem, tool, args, mode, decision, way, outcome) VALUES (1, 'cli', 'c', 's', '', '', 'old', '{}', 'ask', 'failed', 'none', 'ok')",
    );
  old();
  old();
  const waiting = await log.check();
  assertEquals([waiting.findings, waiting.unchained, waiting.entries], [[], 2, LENGTH]);
  log.store.audit.add(entry(9));
  const checked = await log.check();
  assertEquals([checked.findings, checked.unchained, checked.beforeChain], [[], 0, 2]);
  // To look like such an entry helps none that was chained when it was written.
  log.raw.exec("UPDATE audit SET hash = '', previous = '', chained = 0, tool = 'x' WHERE id = 9");
  assertEquals(await log.found(), ["replaced 9"]);
});

Deno.test("a log of an older version is chained when its database is brought up to date", async () => {
  const directory = await Deno.makeTempDir({ prefix: "amof-chain-" });
  const path = join(directory, "amof.db");
  const old = new DatabaseSync(path);
  old.exec(SCHEMA_V1);
  old.exec("BEGIN");
  for (let id = 1; id <= 700; id++) {
    old.exec(
      `INSERT INTO audit VALUES (${id}, ${id}, 'cli', 'c', 's', '/r', 'demo', 'tool', '{"n":${id}}', 'ask', 'failed', 'none', NULL, 'ok', NULL)`,
    );
  }
  old.exec("COMMIT");
  old.close();
  const store = openStore(path);
  store.audit.add(entry(1));
  const checked = await checkLog(store.audit, null, () => Promise.resolve());
  assertEquals(checked.findings, []);
  assertEquals([checked.entries, checked.beforeChain, checked.anchoredFrom], [701, 700, 701]);
  const raw = new DatabaseSync(path);
  raw.exec(`UPDATE audit SET args = '{"n":0}' WHERE id = 350`);
  raw.close();
  const { findings } = await checkLog(store.audit, null, () => Promise.resolve());
  assertEquals(findings.map(({ problem, id }) => `${problem} ${id}`), ["changed 350"]);
  store.close();
  await Deno.remove(directory, { recursive: true });
});

Deno.test("evidence that does not prove an approval of its preview is found, in the log and in an export", async () => {
  const approval = { request: "3f0c6f4e", fingerprint: "f1", nonce: "77" };
  const other = await approvedWithPasskey(approval);
  const deviating = async (deviation: Deviation) => await approvedWithPasskey(approval, deviation);
  const CASES: readonly (readonly [string, unknown])[] = [
    ["another preview", await approvedWithPasskey({ ...approval, fingerprint: "f2" })],
    ["another request", { ...SIGNED, request: "3f0c6f4f" }],
    ["another nonce", { ...SIGNED, nonce: "78" }],
    ["another key", { ...SIGNED, public_key: other.public_key }],
    ["another origin", { ...SIGNED, origin: "http://localhost:9000" }],
    ["another site", await deviating({ rp: "attacker.example" })],
    ["nobody was verified", await deviating({ flags: 0x01 })],
    ["nobody was there", await deviating({ flags: 0x04 })],
    ["a registration", await deviating({ type: "webauthn.create" })],
    ["another challenge", await deviating({ challenge: "AAAA" })],
    ["no signature", { ...SIGNED, signature: "" }],
    ["no key", { ...SIGNED, public_key: "not COSE" }],
    ["another kind", { ...SIGNED, kind: "word" }],
    ["no object", "yes"],
    ["nothing in it", {}],
  ];
  await using log = new Log(0);
  log.store.audit.add(entry(1));
  for (const [, evidence] of CASES) log.store.audit.add(entry(2, { evidence }));
  const checked = await log.check();
  assertEquals(checked.signatures, 1 + CASES.length);
  const told = CASES.map(([that], n) => `signature ${n + 2} ${that}`);
  assertEquals(
    checked.findings.map(({ problem, id }) => `${problem} ${id} ${CASES[id - 2]?.[0]}`),
    told,
  );
  assertEquals(await inLines(log.lines()), CASES.map((_, n) => `signature ${n + 2}`));
});
