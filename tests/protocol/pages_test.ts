// The pages of the server as they are sent: what they hold, what a browser may do with them, and text of others.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ServerOf } from "../support/server.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** A page: its status, and what stands in it. */
async function get(server: ServerOf, path: string) {
  const { status, headers, body } = await server.ask(path);
  return { status, headers, body };
}

Deno.test("pages show what the commands answer, and what these refuse", async (t) => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const branch = 'feature/"><script>alert(1)</script>';
  await world.git(world.clone("api"), "checkout", "--quiet", "-b", branch);
  await world.write("control/worktrees/demo/repos/web/new.txt", "new\n");
  await using server = await ServerOf.start(world);

  await t.step(
    "a page loads only what the server has, and holds neither script nor style",
    async () => {
      const { status, headers, body } = await get(server, "/ecosystems");
      assertEquals([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
      const policy = headers.get("content-security-policy") ?? "";
      assertStringIncludes(policy, "default-src 'none'");
      assert(!/unsafe|https?:|\*/.test(policy), policy);
      assert(
        !/ style=| on[a-z]+=|<style|<script(?! type="module" src="\/assets\/)/.test(body),
        body,
      );
      const loaded = [...body.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, to = ""]) => to);
      assert(loaded.every((to) => /^[/#?]/.test(to)), loaded.join(" "));
      for (const path of loaded.filter((to) => to.startsWith("/assets/"))) {
        const asset = await get(server, path);
        assertEquals(asset.status, 200, path);
        assertMatch(
          asset.headers.get("content-type") ?? "",
          /^(?:text\/(?:css|javascript)|image\/svg)/,
        );
      }
    },
  );

  await t.step(
    "what is known comes at once, how repositories stand when they are looked at",
    async () => {
      const early = await get(server, "/ecosystems/demo");
      assertStringIncludes(early.body, "looking…");
      assertStringIncludes(early.body, "data-more");
      const live = await get(server, "/ecosystems/demo?live");
      assert(!live.body.includes("looking…") && !live.body.includes("data-more"));
      assertStringIncludes(live.body, "DIRTY");
      // The next one has what was found, and looks again.
      const later = await get(server, "/ecosystems/demo");
      assertStringIncludes(later.body, "DIRTY");
      assertStringIncludes(later.body, "data-more");
      assertStringIncludes((await get(server, "/ecosystems")).body, "DIRTY");
    },
  );

  await t.step("problems stand first, and filters narrow down", async () => {
    const rows = async (query: string) =>
      [...(await get(server, `/ecosystems/demo?live${query}`)).body.matchAll(/id="repo-(\w+)"/g)]
        .map(([, name]) => name);
    assertEquals(await rows(""), ["web", "api"]);
    assertEquals(await rows("&show=needs+attention"), ["web"]);
    assertEquals(await rows("&repo=ap"), ["api"]);
    assertEquals(await rows("&repo=*eb"), ["web"]);
    assertStringIncludes(
      (await get(server, "/ecosystems/demo?repo=%3Cscript%3E")).body,
      "No repository matches",
    );
  });

  await t.step("tickets with workspaces stand there with their ports", async () => {
    assert(!(await get(server, "/ecosystems/demo?live")).body.includes("<h2>Tickets"));
    await makeTicket(world, "OWN-1", { repos: ["api"] });
    const { body } = await get(server, "/ecosystems/demo?live");
    assertStringIncludes(body, 'id="ticket-OWN-1"');
    assertStringIncludes(body, "20000–20019");
    assertStringIncludes(body, "demo@OWN-1");
    await Deno.writeTextFile(`${world.workspace()}@OWN-1/.amof/ticket.json`, "{}");
    assertStringIncludes((await get(server, "/ecosystems/demo?live")).body, "unreadable");
    await Deno.remove(`${world.workspace()}@OWN-1`, { recursive: true });
  });

  await t.step(
    "a ticket has a page with its pull requests, for which its forges are asked",
    async () => {
      await makeTicket(world, "OWN-2", { repos: ["api"] });
      const list = await get(server, "/ecosystems/demo?live");
      assertStringIncludes(list.body, 'href="/ecosystems/demo/tickets/OWN-2"');
      const early = await get(server, "/ecosystems/demo/tickets/OWN-2");
      assertStringIncludes(early.body, "asking their forges");
      assertStringIncludes(early.body, "data-more");
      const { body, status } = await get(server, "/ecosystems/demo/tickets/OWN-2?live");
      assertEquals(status, 200, body);
      assertStringIncludes(body, "No pull requests yet");
      assertStringIncludes(body, "amof -e demo pr open OWN-2");
      assertEquals((await get(server, "/ecosystems/demo/tickets/%20%22?live")).status, 404);
      await Deno.remove(`${world.workspace()}@OWN-2`, { recursive: true });
    },
  );

  await t.step("names of branches are text", async () => {
    const { body } = await get(server, "/ecosystems/demo?live");
    assert(!body.includes("<script>alert"));
    // A line may break behind a slash.
    assertStringIncludes(
      body.replaceAll(/<wbr *\/?>/g, ""),
      "feature/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
    );
  });

  await t.step("runs are listed, filtered, and each has its log", async () => {
    const { body } = await get(server, "/runs");
    const [, id = ""] = /href="\/runs\/([0-9a-f-]{36})"/.exec(body) ?? [];
    assertStringIncludes(body, "install");
    assertStringIncludes((await get(server, "/runs?status=failed")).body, "No run matches");
    assertStringIncludes((await get(server, "/runs?action=install&ecosystem=demo")).body, id);
    assertEquals((await get(server, "/runs?status=nonsense")).status, 400);
    const run = await get(server, `/runs/${id}`);
    assertEquals(run.status, 200);
    assertMatch(run.body, /<ol class="log"[^>]*data-ended/);
    assertStringIncludes(run.body, "Started install");
    assertStringIncludes((await get(server, `/runs/${id}?level=error`)).body, "Nothing at error");
  });

  await t.step("the audit log has filters, and leads to runs", async () => {
    const { body } = await get(server, "/audit");
    assertMatch(body, /install_ecosystem<\/span><span class="quiet"> of demo/);
    assertMatch(body, /href="\/runs\/[0-9a-f-]{36}"/);
    assertStringIncludes((await get(server, "/audit?decision=declined")).body, "No entry matches");
    const wrong = await get(server, "/audit?since=%3Cscript%3E");
    assertEquals(wrong.status, 400);
    assertStringIncludes(wrong.body, "&lt;script&gt;");
    assert(!wrong.body.includes("<script>"));
    const older = await get(server, "/audit?before=1&tool=install");
    assertStringIncludes(older.body, 'value="install"');
    assertStringIncludes(older.body, "No entry matches");
  });

  await t.step("telemetry is plotted, and told as tables", async () => {
    const { status, body } = await get(server, "/telemetry");
    assertEquals(status, 200);
    assertMatch(body, /role="img" aria-label="1 run in 3\d days, 0 failed"/);
    assertEquals(body.match(/<rect class="good"/g)?.length, 1);
    assertMatch(body, /<th scope="row">\d{4}-\d\d-\d\d<\/th><td class="number">1<\/td>/);
  });

  await t.step("releases stand at their stages", async () => {
    assertStringIncludes((await get(server, "/releases")).body, "amof release init");
    await world.git(world.control, "tag", "-a", "-m", "<script>alert(1)</script>", "v0.1.0");
    await world.git(world.control, "tag", "-a", "-m", "Next", "v0.2.0-alpha.1");
    const { body } = await get(server, "/releases");
    const cells = [...body.matchAll(/<a href="#(v[^"]+)" class="mono">([^<]+)<\/a>/g)]
      .map(([, tag, text]) => `${tag} ${text}`);
    assertEquals(cells, ["v0.2.0-alpha.1 alpha.1", "v0.1.0 v0.1.0"]);
    assert(!body.includes("<script>alert"));
    assertStringIncludes(body, "&lt;script&gt;alert(1)");
    assertStringIncludes(body, "amof release");
  });

  await t.step("what is not there is a page that says so, with its status", async () => {
    for (
      const [path, says] of [
        ["/ecosystems/nothing", "Available: demo"],
        ["/ecosystems/%3Cscript%3E", "&lt;script&gt;"],
        ["/runs/ffffffff", "amof runs list"],
      ] as const
    ) {
      const { status, headers, body } = await get(server, path);
      assertEquals([status, headers.get("content-type")], [404, "text/html; charset=utf-8"], path);
      assertStringIncludes(body, says, path);
      assert(!body.includes("<script>"), path);
    }
  });
});

Deno.test("pages of a control repository without anything say how it begins", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await Deno.remove(`${world.control}/ecosystems/demo`, { recursive: true });
  await using server = await ServerOf.start(world);
  for (
    const [path, says] of [
      ["/ecosystems", "amof ecosystem create"],
      ["/runs", "amof install"],
      ["/releases", "amof release init"],
      ["/telemetry", "amof install"],
    ] as const
  ) {
    const { status, body } = await get(server, path);
    assertEquals(status, 200, path);
    assertStringIncludes(body, says, path);
  }
});
