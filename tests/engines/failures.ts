/**
 * What goes wrong with an engine while an array is under way: through the command line, the same for every engine that
 * can be broken in that way.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, until } from "../support/answers.ts";
import type { Ran, World } from "../support/world.ts";
import { Bell } from "./bell.ts";
import { ends, processesWith, setEngine, type Subject, worldWith } from "./suite.ts";

export { EFFECT, effects } from "./effects.ts";

/** How an engine is broken; absent what one cannot have. */
export interface Faults {
  /** Deletes the array of a run, as somebody else with the engine's own programs does. */
  readonly erase?: (run: string) => Promise<void>;
  /** The engine answers nobody. */
  readonly silence?: () => Promise<void>;
  /** It answers again. */
  readonly answer?: () => Promise<void>;
  /** Waits until the array of a run is over, and makes the engine forget it. */
  readonly forget?: (run: string) => Promise<void>;
  /** Removes what the shards of a run have told so far, the end of `a` among it. */
  readonly lose?: (world: World, run: string) => Promise<void>;
  /** Whether what shards told is still there when the engine has forgotten them. */
  readonly keeps: boolean;
}

/** What to run in a shell to wait until a repository is let go. */
export const GATE = 'url=$(git config remote.origin.url); until git ls-remote --exit-code "$url" ' +
  "refs/heads/gate >/dev/null 2>&1; do sleep 0.4; done; ";

/** Lets programs that wait in repositories go. */
export async function release(world: World, repos: readonly string[]): Promise<void> {
  for (const repo of repos) {
    await world.git(join(world.remotes, `${repo}.git`), "branch", "--force", "gate", "main");
  }
}

/** Removes the lines of shards from where they are kept, as soon as one of them tells the end of a repository. */
export async function loseLines(results: string, repo: string): Promise<void> {
  const paths = async () => {
    const names = await Array.fromAsync(Deno.readDir(results), ({ name }) => name);
    return names.map((name) => join(results, name));
  };
  await until(`the end of ${repo} is told`, async () => {
    const texts = await Promise.all((await paths()).map((path) => Deno.readTextFile(path)));
    return texts.join("").split("\n").some((line) =>
      line.includes('"type":"item"') && line.includes(`"repo":"${repo}"`)
    );
  });
  for (const path of await paths()) await Deno.remove(path);
}

/** A call that goes on. */
export interface Underway {
  readonly run: string;
  readonly child: Deno.ChildProcess;
  /** Its answer, when it has ended. */
  readonly ended: () => Promise<Ran>;
}

/** Starts a program in repositories on an engine, a shard for each unless told otherwise. */
export async function begin(
  world: World,
  subject: Subject,
  repos: readonly string[],
  line: string,
  shards = repos.length,
): Promise<Underway> {
  const before = await runsOf(world);
  const child = world.start([
    ...["exec", "--engine", subject.name, "--shards", String(shards), "--json"],
    ...repos.flatMap((repo) => ["--repo", repo]),
    ...["--shell", line],
  ]);
  // Read as it comes: what nobody reads would stop the program.
  const output = child.output();
  const run = await until(
    "the run is noted",
    async () => (await runsOf(world)).find((id) => !before.includes(id)) ?? null,
  );
  const ended = async () => {
    const { code, stdout, stderr } = await output;
    const text = new TextDecoder().decode(stdout);
    return {
      code,
      stdout: text,
      stderr: new TextDecoder().decode(stderr),
      json: () => JSON.parse(text) as Record<string, unknown>,
    };
  };
  return { run, child, ended };
}

async function runsOf(world: World): Promise<string[]> {
  const listed = await world.amof(["runs", "list", "--action", "exec", "--json"]);
  const runs = pick(listed.json(), "runs");
  return Array.isArray(runs) ? runs.map((run) => String(pick(run, "run_id"))) : [];
}

/** How it ended in each repository: name and outcome. */
export function outcomes(ran: Ran): unknown[] {
  return ends(ran).map((row) => (row as unknown[]).slice(0, 2));
}

/** Declares the tests for an engine. */
export function failures(subject: Subject, faults: Faults, ignore = false): void {
  const test = (name: string, fn: () => Promise<void>) =>
    Deno.test({ name: `engine ${subject.name} fails: ${name}`, ignore, fn });

  test("a run whose amof was killed is cancelled on its engine, and what it had done stays told", async () => {
    const repos = ["a", "b", "c"];
    await using world = await worldWith(subject, repos);
    using bell = new Bell();
    const word = crypto.randomUUID();
    await release(world, ["a"]);
    const call = await begin(world, subject, repos, `${bell.line}${GATE}: ${word}`);
    await until("a is over, the others wait", async () => {
      const log = await world.amof(["runs", "logs", call.run]);
      return bell.heard.length === 3 && log.stdout.includes("a: ok");
    });
    call.child.kill("SIGKILL");
    await call.ended();
    const shown = await world.amof(["runs", "cancel", call.run, "--dry-run"]);
    assertStringIncludes(shown.stdout, `what engine ${subject.name} still does`);
    const ran = await world.amof(["runs", "cancel", call.run, "--yes"]);
    assertEquals(ran.code, 0, ran.stderr);
    assertEquals(await processesWith(world, word), []);
    const again = await world.amof(["runs", "cancel", call.run, "--yes"]);
    assertStringIncludes(again.stderr, "it has failed");
    await release(world, repos);
    const rest = await world.amof(["exec", "--retry-failed", call.run, "--json"]);
    assertEquals(outcomes(rest), [["b", "ok"], ["c", "ok"]], rest.stderr);
  });

  if (faults.erase !== undefined) {
    const { erase } = faults;
    test("an array that somebody deletes is over, and what it had done stays told", async () => {
      const repos = ["a", "b", "c", "d"];
      await using world = await worldWith(subject, repos);
      await setEngine(world, subject, ["parallel: 2"]);
      using bell = new Bell();
      await release(world, ["a"]);
      const call = await begin(world, subject, repos, `${bell.line}${GATE}`);
      // What an engine deletes takes the output of its shards along: what `a` has done has to be told by then.
      let log = "";
      await until("a is over, two wait", async () => {
        log = (await world.amof(["runs", "logs", call.run])).stdout;
        return ["b", "c"].every((repo) => bell.heard.includes(repo)) && log.includes("a: ok");
      }, () => `heard of ${bell.heard.join(" ")}\n${log}`);
      await erase(call.run);
      const ran = await call.ended();
      assertEquals(ran.code, 5, ran.stdout + ran.stderr);
      const [a, b, c, d] = outcomes(ran);
      assertEquals(a, ["a", "ok"]);
      for (const row of [b, c]) assert(/cancelled|unknown/.test(String(row)), String(row));
      assert(/not_started|unknown/.test(String(d)), String(d));
      assertEquals(bell.heard.filter((repo) => repo === "d"), []);
      await release(world, repos);
      const again = await world.amof(["exec", "--retry-failed", call.run, "--json"]);
      assertEquals(outcomes(again), [["b", "ok"], ["c", "ok"], ["d", "ok"]], again.stderr);
    });
  }

  if (faults.lose !== undefined) {
    const { lose } = faults;
    test("what was done and is told by no line any more has an unknown end", async () => {
      const repos = ["a", "b"];
      await using world = await worldWith(subject, repos);
      using bell = new Bell();
      const call = await begin(world, subject, repos, `${bell.line}${GATE}`, 1);
      await until("a waits", () => bell.heard.includes("a"));
      // It must not have noted yet how `a` ended: what it has noted needs no line.
      call.child.kill("SIGSTOP");
      await release(world, ["a"]);
      await until("b waits", () => bell.heard.includes("b"));
      call.child.kill("SIGKILL");
      await call.ended();
      await lose(world, call.run);
      await release(world, ["b"]);
      const ran = await world.amof(["exec", "--resume", call.run, "--json"]);
      assertEquals(outcomes(ran), [["a", "unknown"], ["b", "ok"]], ran.stdout + ran.stderr);
    });
  }

  if (faults.silence !== undefined && faults.answer !== undefined) {
    const { silence, answer } = faults;
    test("an engine that answers nobody for a while is asked again", async () => {
      const repos = ["a", "b", "c"];
      await using world = await worldWith(subject, repos);
      using bell = new Bell();
      const call = await begin(world, subject, repos, `${bell.line}${GATE}`);
      await until("all wait", () => bell.heard.length === 3);
      await silence();
      await until("it is told", async () => {
        const log = await world.amof(["runs", "logs", call.run]);
        return log.stdout.includes("asked for again");
      });
      await answer();
      await release(world, repos);
      const ran = await call.ended();
      assertEquals(ran.code, 0, ran.stdout + ran.stderr);
      assertEquals(bell.heard, repos);
    });
  }

  if (faults.forget !== undefined) {
    const { forget, keeps } = faults;
    test("an array that its engine has forgotten is judged by what is left, and not begun again", async () => {
      const repos = ["a", "b"];
      await using world = await worldWith(subject, repos);
      using bell = new Bell();
      const call = await begin(world, subject, repos, `${bell.line}test $AMOF_REPO = a`);
      await until("all have begun", () => bell.heard.length === 2);
      call.child.kill("SIGKILL");
      await call.ended();
      await forget(call.run);
      const ran = await world.amof(["exec", "--resume", call.run, "--json"]);
      assertEquals(
        outcomes(ran),
        keeps ? [["a", "ok"], ["b", "failed"]] : [["a", "unknown"], ["b", "unknown"]],
        ran.stdout + ran.stderr,
      );
      assertEquals(bell.heard, repos);
      const again = await world.amof(["exec", "--resume", call.run]);
      assertStringIncludes(again.stderr, "everything was collected");
    });
  }
}
