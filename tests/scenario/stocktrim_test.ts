/**
 * `amof stocktrim` on the command line: consent at a terminal and without one, exit codes, and what is said where the
 * service cannot be asked (STOCKTRIM-2, STOCKTRIM-5, STOCKTRIM-8, STOCKTRIM-9).
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertNoSecrets, changesIn, worldWithStockTrim } from "../support/stocktrim.ts";
import { Typist } from "../support/terminal.ts";

Deno.test("amof stocktrim deletes, creates and refuses without a terminal as flags and exit codes say", async () => {
  const { world, shop } = await worldWithStockTrim();
  await using _world = world;
  await using _shop = shop;
  const said: string[] = [];
  const amof = async (line: string, env: Record<string, string> = {}) => {
    const ran = await world.amof(["stocktrim", ...line.split(" ")], { env });
    said.push(ran.stdout, ran.stderr);
    return ran;
  };

  const unasked = await amof("product delete SKU-002");
  assertEquals(unasked.code, 4);
  for (const part of ["Code: SKU-002 (id 33303389)", "🟢 Active", "💰 Cost: 12.00"]) {
    assertStringIncludes(unasked.stderr, part);
  }
  assertStringIncludes(unasked.stderr, "amof stocktrim product delete SKU-002 --yes");
  const missing = await amof("product delete NOWHERE --yes");
  assertEquals([missing.code, missing.stdout], [2, ""]);
  assertStringIncludes(missing.stderr, "amof stocktrim product search");
  const rehearsed = await amof("product delete SKU-002 --yes --dry-run");
  assertEquals(rehearsed.code, 0);
  const wrong = await amof("supplier delete BEAN --confirm-name Bean");
  assertEquals(wrong.code, 4);
  assertStringIncludes(wrong.stderr, "To delete 'BEAN', give exactly that name");
  const yes = await amof("supplier delete BEAN --yes");
  assertEquals(yes.code, 4, "a yes is no name");
  assertEquals(changesIn(shop), []);

  const deleted = await amof("product delete SKU-002 --yes");
  assertEquals([deleted.code, deleted.stdout], [0, "✅ Product SKU-002 deleted successfully.\n"]);
  const typed = await amof("supplier delete BEAN --confirm-name BEAN --json");
  assertEquals([typed.code, typed.json()["verified"]], [0, true], typed.stdout);
  const created = await amof("product save NEW --name Tea");
  assertEquals(created.code, 0, created.stderr);
  const again = await amof("product save NEW --name Coffee");
  assertEquals(again.code, 1);
  assertStringIncludes(again.stderr, "is not written over");
  assertEquals(changesIn(shop), [
    "DELETE /api/Products?productId=33303389",
    "DELETE /api/Suppliers?supplierCodeOrName=BEAN",
    "POST /api/Products",
  ]);

  shop.fail({ on: "DELETE /api/Products", drop: "after" });
  const unknown = await amof("product delete NEW --yes");
  assertEquals(unknown.code, 1);
  assertStringIncludes(unknown.stderr, "amof stocktrim product get NEW");
  assertEquals(changesIn(shop).length, 4, "it was sent once");

  const nobody = await amof("product get NEW", { STOCKTRIM_API_AUTH_ID: "" });
  assertEquals(nobody.code, 2);
  assertStringIncludes(nobody.stderr, "STOCKTRIM_API_AUTH_ID is not set");
  const away = await amof("location list", { STOCKTRIM_BASE_URL: "http://example.com" });
  assertEquals(away.code, 2);
  assertStringIncludes(away.stderr, "http is for this machine only");
  await assertNoSecrets(shop, { texts: said, directories: [world.directory] });
});

Deno.test({
  name: "amof stocktrim asks at a terminal: an answer of no changes nothing, a typed code deletes",
  ignore: Deno.build.os === "windows", // terminals
  async fn() {
    const { world, shop } = await worldWithStockTrim();
    await using _world = world;
    await using _shop = shop;
    const answers = async (args: readonly string[], prompt: string, typed: string) => {
      const person = await Typist.start(world, ["stocktrim", ...args]);
      await person.sees(prompt);
      await person.types(`${typed}\n`);
      return await person.ends();
    };
    const product = ["product", "delete", "SKU-002"];
    const no = await answers(product, "Proceed with deletion? [y/N] ", "n");
    assertEquals(no.code, 4, no.screen);
    assertStringIncludes(no.screen, "⚠ The product is deleted for good");
    const name = await answers(
      ["supplier", "delete", "BEAN"],
      "supplier code to proceed: ",
      "GEAR",
    );
    assertEquals(name.code, 4, name.screen);
    assertEquals(changesIn(shop), []);
    const yes = await answers(product, "Proceed with deletion? [y/N] ", "y");
    assertEquals(yes.code, 0, yes.screen);
    assertStringIncludes(yes.stdout, "✅ Product SKU-002 deleted successfully.");
    const code = await answers(
      ["supplier", "delete", "BEAN"],
      "supplier code to proceed: ",
      "BEAN",
    );
    assertEquals(code.code, 0, code.screen);
    assertEquals(changesIn(shop).length, 2);
    await assertNoSecrets(shop, { texts: [no.screen, yes.screen, code.screen] });
  },
});
