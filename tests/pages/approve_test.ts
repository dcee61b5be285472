// What a person does in a browser: signing in, approving an installation and a push, typing a name, and passkeys.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { ServerOf } from "../support/server.ts";
import { linkFor } from "../support/sign_in.ts";
import { World } from "../support/world.ts";
import { query, requestIn } from "../protocol/_support.ts";
import { CHROMIUM, startBrowser } from "./browser.ts";

const DEMO = { ecosystem: "demo", mode: "execute" };

/** What axe finds wrong with a page. */
async function accessibility(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) =>
      `${id}: ${nodes.map(({ html }) => html).join(" ").slice(0, 300)}`
    );
  });
}

/** A key that a browser believes to be built into the machine. */
class VirtualKey {
  readonly #cdp: Awaited<ReturnType<BrowserContext["newCDPSession"]>>;
  readonly #id: string;

  private constructor(cdp: Awaited<ReturnType<BrowserContext["newCDPSession"]>>, id: string) {
    this.#cdp = cdp;
    this.#id = id;
  }

  static async plugIn(page: Page): Promise<VirtualKey> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("WebAuthn.enable");
    const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualKey(cdp, authenticatorId);
  }

  /** Whether its person shows their finger from now on. */
  async verifies(isUserVerified: boolean): Promise<void> {
    await this.#cdp.send("WebAuthn.setUserVerified", { authenticatorId: this.#id, isUserVerified });
  }
}

Deno.test({
  name: "a person signs in, approves, types a name, and approves with a passkey in a browser",
  ignore: CHROMIUM === null,
  async fn(t) {
    await using world = await World.withEcosystem({ repos: ["api"] });
    await using _server = await ServerOf.start(world);
    await using client = new McpClient(world, ["--confirm", "human"]);
    await client.initialize();
    const browser = await startBrowser();
    try {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 } });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const asks = async (tool: string) => {
        const answer = await client.call(tool, DEMO);
        const { token, approval } = requestIn(answer);
        return { token, id: String(pick(approval, "id")), page: String(pick(approval, "page")) };
      };
      const carriedOut = async (token: string) => {
        const answer = await client.call("amof_confirm", { token, mode: "execute" });
        assert(!answer.isError, answer.text);
        const run = await client.finished(String(answer.data["run_id"]));
        assertEquals(run["status"], "success");
      };
      const evidence = () =>
        query(
          world,
          "SELECT evidence FROM audit WHERE outcome = 'approved' ORDER BY id DESC LIMIT 1",
        )
          .map((row) => row["evidence"])[0];
      const install = await asks("amof_install_ecosystem");

      await t.step("who is not signed in is told how, and a link works once", async () => {
        await page.goto(install.page);
        assertStringIncludes(await page.innerText("main"), "amof server open");
        assertEquals(await accessibility(page), []);
        const link = await linkFor(world);
        await page.goto(link);
        await page.waitForURL("**/ecosystems");
        assert(!page.url().includes("code"), "the link is not where it could be copied");
        const other = await browser.newContext();
        const again = await other.newPage();
        await again.goto(link);
        assertStringIncludes(await again.innerText("main"), "used already");
        await again.goto(install.page);
        assertStringIncludes(await again.innerText("main"), "amof server open");
        await other.close();
      });

      await t.step("an installation is approved in its page, which the answer named", async () => {
        await page.goto("/approvals".replace(/^/, new URL(install.page).origin));
        assertEquals(await accessibility(page), []);
        await page.click(`a[href="/approvals/${install.id}"]`);
        assertStringIncludes(await page.innerText("h1"), "Install demo?");
        assertEquals(await accessibility(page), []);
        await page.click("button.yes");
        await page.waitForSelector(".state:has-text('approved')");
        assertEquals(page.url(), install.page);
        await carriedOut(install.token);
        assert(await world.exists(world.clone("api")));
        assertEquals(evidence(), null);
      });

      await t.step("a push is approved in its page", async () => {
        const head = await world.commitOnFeature("api");
        const push = await asks("amof_push_ecosystem");
        await page.goto(push.page);
        assertStringIncludes(await page.innerText("main"), "feature/T-1");
        await page.click("button.yes");
        await page.waitForSelector(".state:has-text('approved')");
        await carriedOut(push.token);
        const refs = await world.git(join(world.remotes, "api.git"), "for-each-ref");
        assertStringIncludes(refs, head);
      });

      const key = await VirtualKey.plugIn(page);

      await t.step("the first passkey is added by who is signed in", async () => {
        await page.goto(new URL("/passkeys", install.page).href);
        assertEquals(await accessibility(page), []);
        await page.fill("input[name=name]", "This <laptop>");
        await page.click("#add-passkey button");
        await page.waitForSelector("th:has-text('This <laptop>')");
        assertEquals(await accessibility(page), []);
      });

      await t.step("approving takes it, and its signature is kept", async () => {
        const discard = await asks("amof_discard_ecosystem");
        await page.goto(discard.page);
        const csrf = await page.getAttribute("meta[name=csrf]", "content") ?? "";
        const without = await page.request.post(`${discard.page}/approve`, {
          form: { csrf, typed: "demo" },
          headers: { origin: new URL(discard.page).origin },
        });
        assertEquals(without.status(), 403);
        assertStringIncludes(await without.text(), "without a passkey");

        await key.verifies(false);
        await page.fill("input[name=typed]", "demo");
        await page.click("button.yes");
        await page.waitForSelector("#passkey-says:not(:has-text('Waiting')):not(:empty)");
        assertStringIncludes(await page.innerText(".heading"), "pending");
        await key.verifies(true);

        await page.fill("input[name=typed]", "demo2");
        await page.click("button.yes");
        await page.waitForSelector(".failure:has-text('did not match')");
        await page.fill("input[name=typed]", "demo");
        await page.click("button.yes");
        await page.waitForSelector(".state:has-text('approved')");
        const kept = JSON.parse(String(evidence()));
        assertEquals([kept.kind, kept.request, kept.rp_id, kept.origin], [
          "passkey",
          discard.id,
          "localhost",
          new URL(discard.page).origin,
        ]);
        assertMatch(String(kept.signature), /^[\w-]{60,}$/);
        await carriedOut(discard.token);
        assert(!await world.exists(world.clone("api")));
        const verified = await world.amof(["audit", "verify", "--json"]);
        assertEquals([verified.code, verified.json()["in_order"]], [0, true], verified.stdout);
      });

      await t.step("another signature is worth nothing", async () => {
        const again = await asks("amof_install_ecosystem");
        const old = String(evidence());
        await page.goto(again.page);
        const csrf = await page.getAttribute("meta[name=csrf]", "content") ?? "";
        const { credential_id, client_data_json, authenticator_data, signature } = JSON.parse(
          old,
        );
        const replayed = JSON.stringify({
          id: credential_id,
          response: {
            clientDataJSON: client_data_json,
            authenticatorData: authenticator_data,
            signature,
          },
        });
        for (const assertion of [replayed, "{}", "null", "[]", '{"id":5,"response":7}']) {
          const answer = await page.request.post(`${again.page}/approve`, {
            form: { csrf, assertion },
            headers: { origin: new URL(again.page).origin },
          });
          assertEquals(answer.status(), 403, assertion);
        }
        const status = await client.call("amof_confirm", { token: again.token, mode: "execute" });
        assertEquals(status.data["error"], "approval_pending");
        const denied = await page.request.post(`${again.page}/deny`, {
          form: { csrf },
          headers: { origin: new URL(again.page).origin },
          maxRedirects: 0,
        });
        assertEquals(denied.status(), 303, "a no takes no passkey");
      });

      await t.step("only a passkey removes or adds one", async () => {
        await page.goto(new URL("/passkeys", install.page).href);
        const csrf = await page.getAttribute("meta[name=csrf]", "content") ?? "";
        const [row] = query(world, "SELECT id FROM passkeys");
        const answer = await page.request.post(
          new URL("/passkeys/remove", install.page).href,
          {
            data: { id: row?.["id"] },
            headers: { "x-amof-csrf": csrf, origin: new URL(install.page).origin },
          },
        );
        assertEquals(answer.status(), 403);
        await page.click("[data-remove-passkey]");
        await page.waitForSelector("text=No passkey yet");
        assertEquals(query(world, "SELECT id FROM passkeys"), []);
      });
    } finally {
      await browser.close();
    }
  },
});
