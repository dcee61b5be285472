import { assertEquals } from "@std/assert";
import { accessTo, type Rule, settledRules } from "../../../../src/machine/box/plan.ts";

function rule(path: string, access: Rule["access"]): Rule {
  return { path, access, kind: "directory" };
}

Deno.test("the closest rule counts, and where there is none a path can be read", () => {
  const rules = [rule("/home", "none"), rule("/home/me/work", "write"), rule("/tmp", "private")];
  for (
    const [path, access] of [
      ["/home/me/x", "none"],
      ["/home/me/work/a/b", "write"],
      ["/home/me/workshop", "none"],
      ["/homes", "read"],
      ["/tmp/x", "private"],
    ] as const
  ) assertEquals(accessTo(rules, path), access, path);
});

Deno.test("rules come before those inside of them; the last of two counts, and what repeats is left out", () => {
  assertEquals(
    settledRules([
      rule("/a/b", "write"),
      rule("/a-b", "none"),
      rule("/a", "none"),
      rule("/a/b/c", "write"),
      rule("/a/b/d", "read"),
      rule("/a-b", "read"),
      rule("/a/e", "none"),
      rule("/dev", "private"),
      rule("/dev/shm/x", "read"),
    ]),
    [
      rule("/a", "none"),
      rule("/a/b", "write"),
      rule("/a/b/d", "read"),
      rule("/dev", "private"),
      rule("/dev/shm/x", "read"),
    ],
  );
});
