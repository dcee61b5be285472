// Covers Session and its breadcrumbs (SESSION-1 to SESSION-3).

import { assertEquals, assertThrows } from "@std/assert";
import type { Mode } from "../../../src/base/policy/mode.ts";
import { Session } from "../../../src/pipeline/session.ts";
import { breadcrumb, type Place, shortBreadcrumb } from "../../../src/contract/place.ts";

const RUN = "4e8c1d72-0000-4000-8000-000000000000";

function session(ecosystem: string | null = null): Session {
  return new Session({ id: "sess_1", owner: "owner", mode: "ask", maxMode: "execute", ecosystem });
}

Deno.test("Session begins in the global scope", () => {
  assertEquals(session().place, {
    scope: "global",
    ecosystem: null,
    ticket: null,
    runId: null,
    releaseTag: null,
  });
  assertEquals(session().canGoBack, false);
});

Deno.test("Session begins in an ecosystem when it is given one", () => {
  assertEquals(session("demo").place, {
    scope: "ecosystem",
    ecosystem: "demo",
    ticket: null,
    runId: null,
    releaseTag: null,
  });
});

Deno.test("Session.enter() keeps the ecosystem where the place names none", () => {
  const here = session("demo");
  here.enter({ scope: "run", runId: RUN });
  assertEquals(here.place, {
    scope: "run",
    ecosystem: "demo",
    ticket: null,
    runId: RUN,
    releaseTag: null,
  });
});

Deno.test("Session.enter() leaves the ecosystem where the place says so", () => {
  const here = session("demo");
  here.enter({ scope: "server", ecosystem: null });
  assertEquals(here.place.ecosystem, null);
});

Deno.test("Session.enter() forgets the run of the place before", () => {
  const here = session("demo");
  here.enter({ scope: "run", runId: RUN });
  here.enter({ scope: "ecosystem" });
  assertEquals(here.place.runId, null);
});

Deno.test("Session.enter() of the same place is no step", () => {
  const here = session("demo");
  here.enter({ scope: "ecosystem", ecosystem: "demo" });
  assertEquals(here.canGoBack, false);
});

Deno.test("Session.back() goes through the places in reverse", () => {
  const here = session();
  here.enter({ scope: "ecosystem", ecosystem: "demo" });
  here.enter({ scope: "run", runId: RUN });
  const way = [here.breadcrumb];
  while (here.back()) way.push(here.breadcrumb);
  assertEquals(way, ["global > demo > run:4e8c1d72", "global > demo", "global"]);
  assertEquals(here.back(), false);
});

Deno.test("Session.back() remembers at most fifty places", () => {
  const here = session();
  for (let n = 0; n < 80; n++) here.enter({ scope: "ecosystem", ecosystem: `e${n}` });
  let steps = 0;
  while (here.back()) steps++;
  assertEquals([steps, here.place.ecosystem], [50, "e29"]);
});

Deno.test("Session.toGlobal() goes where the session began and forgets the history", () => {
  for (const [here, way] of [[session(), "global"], [session("demo"), "global > demo"]] as const) {
    here.enter({ scope: "ecosystem", ecosystem: "shop" });
    here.enter({ scope: "run", runId: RUN });
    assertEquals(here.isHome, false);
    here.toGlobal();
    assertEquals([here.breadcrumb, here.canGoBack, here.isHome], [way, false, true]);
  }
});

Deno.test("Session.mode changes to a mode and refuses what is none", () => {
  const here = session();
  here.mode = "plan";
  assertThrows(() => here.mode = "yolo" as Mode, RangeError);
  assertEquals(here.mode, "plan");
});

const PLACE: Place = {
  scope: "global",
  ecosystem: null,
  ticket: null,
  runId: null,
  releaseTag: null,
};

const CRUMBS: readonly (readonly [Place, string, string])[] = [
  [PLACE, "global", "global"],
  [{ ...PLACE, scope: "ecosystem", ecosystem: "demo" }, "global > demo", "demo"],
  [
    { ...PLACE, scope: "run", ecosystem: "demo", ticket: null, runId: RUN },
    "global > demo > run:4e8c1d72",
    "demo > run:4e8c1d72",
  ],
  [{ ...PLACE, scope: "run", runId: RUN }, "global > run:4e8c1d72", "run:4e8c1d72"],
  [{ ...PLACE, scope: "server" }, "global > server", "server"],
  [
    { ...PLACE, scope: "release", releaseTag: "v1.0.0" },
    "global > release:v1.0.0",
    "release:v1.0.0",
  ],
];

for (const [place, long, short] of CRUMBS) {
  Deno.test(`breadcrumb() is "${long}" and shortBreadcrumb() "${short}"`, () => {
    assertEquals([breadcrumb(place), shortBreadcrumb(place)], [long, short]);
  });
}

Deno.test("Session.meant is what a call named last, until the session goes somewhere or back", () => {
  const here = session();
  assertEquals(here.meant, null);
  here.remember({ ...here.place, scope: "run", ecosystem: "demo", ticket: "T-1", runId: RUN });
  here.remember(here.place);
  assertEquals(here.meant, { ...here.place, scope: "ecosystem", ecosystem: "demo", ticket: "T-1" });
  here.enter({ scope: "ecosystem", ecosystem: "other" });
  assertEquals(here.meant, null);
  here.back();
  assertEquals(here.meant, null);
  here.remember({ ...here.place, scope: "ecosystem", ecosystem: "demo" });
  here.toGlobal();
  assertEquals(here.meant, null);
});
