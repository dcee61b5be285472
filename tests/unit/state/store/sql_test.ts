// Covers Database: transactions, and telling a broken unique rule from other failures.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { openDatabase } from "../../../../src/state/store/database.ts";
import { isUniqueViolation } from "../../../../src/state/store/sql.ts";

Deno.test("Database.transaction() keeps nothing of work that throws", () => {
  const db = openDatabase(":memory:");
  const insert = (name: string) =>
    db.run("INSERT INTO settings (name, value) VALUES (?, 'x')", name);
  assertThrows(
    () =>
      db.transaction(() => {
        insert("a");
        throw new RangeError("broken");
      }),
    RangeError,
  );
  db.transaction(() => insert("b"));
  assertEquals(db.all("SELECT name FROM settings").map((row) => row["name"]), ["b"]);
  db.close();
});

Deno.test("Database.transaction() answers what its work answers", () => {
  const db = openDatabase(":memory:");
  assertEquals(db.transaction(() => 42), 42);
  db.close();
});

Deno.test("Database.transaction() throws why it failed also when SQLite has ended it already", () => {
  const db = openDatabase(":memory:");
  db.run("PRAGMA max_page_count = 40");
  const fill = () => {
    for (let n = 0; n < 100; n++) {
      db.run("INSERT INTO settings VALUES (?, ?)", `s${n}`, "x".repeat(4000));
    }
  };
  assertThrows(() => db.transaction(fill), Error, "full");
  assertEquals(db.get("SELECT count(*) AS n FROM settings")?.["n"], 0);
  db.close();
});

Deno.test("isUniqueViolation() tells a broken unique rule from other failures", () => {
  const db = openDatabase(":memory:");
  const insert = (value: string | null) =>
    db.run("INSERT INTO settings (name, value) VALUES ('a', ?)", value);
  insert("x");
  assert(isUniqueViolation(assertThrows(() => insert("y"))));
  assertEquals(isUniqueViolation(assertThrows(() => insert(null))), false);
  db.close();
});

Deno.test("Database tells of files that may not be written, and not of a defect", () => {
  const database = openDatabase(":memory:");
  // As on a disk that was mounted for reading alone.
  database.exec("PRAGMA query_only = ON");
  const error = assertThrows(
    () => database.run("INSERT INTO settings (name, value) VALUES ('a', 'b')"),
    AmofError,
  );
  assertEquals(
    [error.code, error.message, error.details["kind"]],
    [
      "file_failed",
      'Cannot use the state database ":memory:": it may not be written',
      "permission_denied",
    ],
  );
  database.close();
});
