// Covers the OpenAPI document (SERVER-8): a validator accepts it, and it says what the routes take.

import { assert, assertEquals } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import { openApi } from "../../../../src/doors/http/api/openapi.ts";
import { pathMembers, ROUTES } from "../../../../src/doors/http/api/table.ts";
import { pick, rows } from "../../../support/answers.ts";
import { COMMANDS } from "../../../support/loaded.ts";

const document = await openApi();

Deno.test("a validator finds the document to be OpenAPI 3.1", async () => {
  const validator = new Validator();
  assertEquals(await validator.validate(structuredClone(document)), { valid: true });
  assertEquals(validator.version, "3.1");
  const broken = { ...structuredClone(document), paths: { health: {} } };
  assertEquals((await new Validator().validate(broken)).valid, false);
});

Deno.test("every route is described under a name of its own, with the arguments of its command", () => {
  const ids = new Set<unknown>();
  for (const { method, path, tool } of ROUTES) {
    const where = `${method} ${path}`;
    const described = pick(document, "paths", path, method.toLowerCase());
    assertEquals(pick(described, "x-amof-tool"), tool, where);
    ids.add(pick(described, "operationId"));
    const parameters = rows(described, "parameters");
    for (const name of pathMembers(path)) {
      const found = parameters.find((each) => each["name"] === name);
      assertEquals([found?.["in"], found?.["required"]], ["path", true], where);
    }
    assertEquals(pick(described, "requestBody") !== undefined, method === "POST", where);
  }
  assertEquals(ids.size, ROUTES.length);
  const push = pick(
    document,
    "paths",
    "/ecosystems/{ecosystem}/actions/push",
    "post",
    "requestBody",
    "content",
    "application/json",
    "schema",
  );
  assertEquals(pick(push, "properties", "mode", "enum"), ["ask", "plan", "execute"]);
  assertEquals(pick(push, "properties", "ecosystem"), undefined, "it stands in the path");
  assertEquals(pick(push, "properties", "allow_no_touch"), undefined, "only a person types it");
  const stop = pick(document, "paths", "/runs/{run_id}/control", "post", "requestBody");
  assertEquals(pick(stop, "content", "application/json", "schema", "required"), ["action"]);
});

Deno.test("the document of the server lists every route with its tool", async () => {
  const text = await Deno.readTextFile(
    new URL("../../../../.github/docs/server.md", import.meta.url),
  );
  const listed = [...text.matchAll(/^\| `((?:GET|POST|DELETE) [^`]+)` +\| `(\w+)`/gm)].map(
    ([, route, tool]) => `${route} ${tool}`,
  );
  assertEquals(listed, ROUTES.map(({ method, path, tool }) => `${method} ${path} ${tool}`));
});

Deno.test("every member of a path is one of its command", async () => {
  const z = await import("../../../../src/contract/zod.ts");
  for (const { path, tool } of ROUTES) {
    const command = COMMANDS.find(({ name }) => name === tool);
    assert(command !== undefined, tool);
    const known = [...Object.keys(command.input(z).shape), "ecosystem"];
    assertEquals(pathMembers(path).filter((name) => !known.includes(name)), [], path);
  }
});
