// Covers layoutOf(): which variables decide where files are (STATE-1).

import { assertEquals } from "@std/assert";
import { type Layout, layoutOf } from "../../../../src/base/system/layout.ts";
import { memoryWorld } from "../../../support/memory.ts";

const DEFAULT: Layout = {
  config: "/home/tester/.config/amof",
  data: "/home/tester/.local/share/amof",
  cache: "/home/tester/.cache/amof",
  state: "/home/tester/.local/state/amof",
  database: "/home/tester/.local/state/amof/amof.db",
};

const HOME: Layout = {
  config: "/a/config",
  data: "/a/share",
  cache: "/a/cache",
  state: "/a/state",
  database: "/a/state/amof.db",
};

const TABLE: readonly (readonly [string, Readonly<Record<string, string>>, Layout])[] = [
  ["nothing set", {}, DEFAULT],
  ["AMOF_HOME", { AMOF_HOME: "/a" }, HOME],
  [
    "AMOF_HOME above all others",
    { AMOF_HOME: "/a", AMOF_STATE_HOME: "/s", XDG_STATE_HOME: "/x" },
    HOME,
  ],
  ["the XDG directories", {
    XDG_CONFIG_HOME: "/x/c",
    XDG_DATA_HOME: "/x/d",
    XDG_CACHE_HOME: "/x/k",
    XDG_STATE_HOME: "/x/s",
  }, {
    config: "/x/c/amof",
    data: "/x/d/amof",
    cache: "/x/k/amof",
    state: "/x/s/amof",
    database: "/x/s/amof/amof.db",
  }],
  ["own overrides, used as they are", {
    AMOF_CONFIG_HOME: "/o/c",
    AMOF_DATA_HOME: "/o/d",
    AMOF_CACHE_HOME: "/o/k",
    AMOF_STATE_HOME: "/o/s",
    XDG_STATE_HOME: "/x/s",
  }, { config: "/o/c", data: "/o/d", cache: "/o/k", state: "/o/s", database: "/o/s/amof.db" }],
  ["one override only", { AMOF_STATE_HOME: "/o/s" }, {
    ...DEFAULT,
    state: "/o/s",
    database: "/o/s/amof.db",
  }],
  ["relative and empty values, which are ignored", {
    AMOF_HOME: "here",
    AMOF_STATE_HOME: "",
    XDG_CONFIG_HOME: "./x",
    XDG_STATE_HOME: "",
  }, DEFAULT],
];

for (const [what, env, expected] of TABLE) {
  Deno.test(`layoutOf() with ${what}`, () => {
    assertEquals(layoutOf(memoryWorld({ env }).system.env), expected);
  });
}
