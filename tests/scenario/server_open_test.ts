/**
 * Signing in to the pages of a server: who gets a link, what it is worth, and what a session may do.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { ServerOf } from "../support/server.ts";
import { linkFor } from "../support/sign_in.ts";
import { Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";

/** Terminals are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

/** Whether this machine has the address ::1. */
function hasSix(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

Deno.test("amof server open makes no link without a person at a terminal, or without a server", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  for (const args of [[], ["--yes"], ["--json"], ["--no-input"], ["--print"]]) {
    const ran = await world.amof(["server", "open", ...args]);
    assertEquals(ran.code, 4, args.join());
    assertStringIncludes(ran.stdout + ran.stderr, "only a person at a terminal can");
  }
  if (!POSIX) return;
  const typist = await Typist.start(world, ["server", "open"]);
  const { code, screen } = await typist.ends();
  assertEquals(code, 1);
  assertStringIncludes(screen, "no server runs");
  assertStringIncludes(screen, "amof server start");
});

Deno.test({
  name: "a link signs a person in once, and their session may do what they send from its own pages",
  ignore: !POSIX, // terminals
  async fn(t) {
    await using world = await World.withEcosystem({ repos: [] });
    await using server = await ServerOf.start(world);
    const host = `localhost:${server.port}`;
    const page = { token: null, host, headers: { accept: "text/html" } };
    const link = await linkFor(world);
    let cookie = "";

    await t.step("the link names localhost and is kept as a hash", async () => {
      assert(link.startsWith(`http://${host}/sign-in?code=`), link);
      const code = link.split("=")[1] ?? "";
      assertMatch(code, /^[0-9a-f]{64}$/);
      for (const name of ["amof.db", "amof.db-wal"]) {
        const path = join(world.directory, "state", "state", name);
        const bytes = await Deno.readFile(path).catch(() => new Uint8Array());
        assert(!new TextDecoder().decode(bytes).includes(code), name);
      }
    });

    await t.step("nobody is told anything but how to sign in", async () => {
      const answer = await server.ask("/approvals", page);
      assertEquals(answer.status, 401);
      assertStringIncludes(answer.body, "amof server open");
      assertEquals((await server.ask("/sign-in?code=0", { ...page, headers: {} })).status, 403);
      const unknown = await server.ask("/sign-in?code=%3Cscript%3E", page);
      assertEquals(unknown.status, 403);
      assertStringIncludes(unknown.body, "no link of this server");
    });

    await t.step("it works once", async () => {
      const path = link.slice(link.indexOf("/sign-in"));
      const first = await server.ask(path, page);
      assertEquals(first.status, 200);
      const set = first.headers.get("set-cookie") ?? "";
      assertMatch(set, /^amof_\d+=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/);
      cookie = set.split(";")[0] ?? "";
      const second = await server.ask(path, page);
      assertEquals([second.status, second.headers.get("set-cookie")], [403, null]);
      assertStringIncludes(second.body, "used already");
    });

    await t.step(
      "a link that is older than two minutes, or of another server, signs nobody in",
      async () => {
        const later = await linkFor(world);
        const other = await linkFor(world);
        using database = new DatabaseSync(join(world.directory, "state", "state", "amof.db"));
        database.exec(
          "UPDATE sign_in_links SET expires_at = expires_at - 120000 WHERE used_at IS NULL",
        );
        const expired = await server.ask(later.slice(later.indexOf("/sign-in")), page);
        assertEquals(expired.status, 403);
        assertStringIncludes(expired.body, "older than two minutes");
        database.exec(
          "UPDATE sign_in_links SET expires_at = expires_at + 600000, instance = 'another' WHERE used_at IS NULL",
        );
        const foreign = await server.ask(other.slice(other.indexOf("/sign-in")), page);
        assertStringIncludes(foreign.body, "no link of this server");
      },
    );

    const asks = async (
      path: string,
      method: string,
      headers: Record<string, string>,
      body?: string,
    ) => {
      const answer = await server.ask(path, {
        token: null,
        host,
        method,
        headers: { cookie, ...headers },
        ...(body === undefined ? {} : { body }),
      });
      const error = answer.body.startsWith("{") ? JSON.parse(answer.body)["error"] : "";
      return [answer.status, error];
    };
    const FORM = { "content-type": "application/x-www-form-urlencoded" };

    await t.step(
      "a session reads, and changes nothing without what its own pages send",
      async () => {
        assertEquals(await asks("/api/v1/nothing", "GET", {}), [404, "route_not_found"]);
        assertEquals(await asks("/sign-out", "POST", FORM, ""), [403, "csrf_refused"]);
        assertEquals(await asks("/sign-out", "POST", FORM, "csrf="), [403, "csrf_refused"]);
        assertEquals(
          await asks("/sign-out", "POST", { ...FORM, "x-amof-csrf": "0".repeat(64) }, ""),
          [403, "csrf_refused"],
        );
        const elsewhere = { origin: "http://localhost:1" };
        assertEquals(await asks("/api/v1/nothing", "GET", elsewhere), [403, "origin_refused"]);
        assertEquals(await asks("/mcp", "POST", FORM, "{}"), [401, "token_required"]);
        const wrong = { cookie: cookie.replace(/.$/, (last) => last === "0" ? "1" : "0") };
        assertEquals(await asks("/api/v1/nothing", "GET", wrong), [401, "token_required"]);
      },
    );

    await t.step("the token is no person", async () => {
      const answer = await server.ask("/sign-out", { method: "POST" });
      assertEquals([answer.status, JSON.parse(answer.body)["error"]], [403, "person_required"]);
    });

    await t.step("with the server every session and every link ends", async () => {
      const left = await linkFor(world);
      assertEquals((await world.amof(["server", "restart", "--json"])).code, 0);
      await server.look();
      assertEquals(await asks("/api/v1/nothing", "GET", {}), [401, "token_required"]);
      assertEquals((await server.ask(left.slice(left.indexOf("/sign-in")), page)).status, 403);
    });
  },
});

Deno.test({
  name: "no link leads where another program may listen",
  ignore: !POSIX || !hasSix(), // terminals
  async fn() {
    await using world = await World.withEcosystem({ repos: [] });
    using other = Deno.listen({ hostname: "::1", port: 0 });
    const { port } = other.addr;
    await using server = await ServerOf.start(world, port);
    const typist = await Typist.start(world, ["server", "open"]);
    const { code, screen, stdout } = await typist.ends();
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(screen, "leads to another program");
    assertStringIncludes(screen, "amof server restart --port 0");
    assertEquals((await server.ask("/api/v1/health", { token: null })).status, 200);
  },
});

Deno.test({
  name: "lost passkeys are forgotten by who types it at a terminal, which is noted",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await World.withEcosystem({ repos: [] });
    await using _server = await ServerOf.start(world);
    await linkFor(world);
    const path = join(world.directory, "state", "state", "amof.db");
    const rows = (sql: string) => {
      using database = new DatabaseSync(path, { readOnly: true });
      return database.prepare(sql).all().map((row) => Object.values(row).join(" "));
    };
    {
      using database = new DatabaseSync(path);
      database.exec("INSERT INTO passkeys VALUES ('a', 'Old laptop', 'b', 0, '[]', 0, NULL)");
    }
    const says = async (typed: string) => {
      const typist = await Typist.start(world, [
        "server",
        "open",
        "--print",
        "--forget-passkeys",
      ]);
      await typist.sees("Type the word forget to proceed:");
      await typist.types(typed);
      return await typist.ends();
    };
    const wrong = await says("yes\n");
    assertEquals([wrong.code, wrong.stdout], [4, ""]);
    assertStringIncludes(wrong.screen, "Old laptop");
    assertEquals(rows("SELECT name FROM passkeys"), ["Old laptop"]);
    const right = await says("forget\n");
    assertEquals(right.code, 0, right.screen);
    assertMatch(right.stdout, /sign-in\?code=/);
    assertEquals(rows("SELECT name FROM passkeys"), []);
    assertEquals(
      rows("SELECT tool, decision, outcome FROM audit WHERE tool = 'passkey_forget' ORDER BY id"),
      ["passkey_forget wrong_name not_approved", "passkey_forget accepted ok"],
    );
  },
});
