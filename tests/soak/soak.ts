/**
 * Many at work at once, for as long as one likes: at two places, over all doors, in shifts. In some shifts nothing goes
 * wrong, and then no call may fail for a reason that is not its own; in the others processes are killed, remotes go
 * away and the disk is full. After each everything is checked.
 *
 * @module
 */

import { NOT_OWN, OWN_REASONS } from "../chaos/choices.ts";
import { Random } from "../chaos/random.ts";
import type { Report } from "../chaos/report.ts";
import { ERROR_CODES } from "../../src/base/error_codes.ts";
import { Checks } from "./checks.ts";
import { ALSO_OWN, DAY, LOOKS } from "./choices.ts";
import { Disk } from "./disk.ts";
import { type Answer, commandLine, type Door, httpApi, terminal } from "./doors.ts";
import { Faults } from "./faults.ts";
import { growth } from "./growth.ts";
import { ATTEMPTS, type Intruder } from "./illegal.ts";
import { Opened } from "./opened.ts";
import { PagesDoor } from "./pages_door.ts";
import { KINDS, usage } from "./processes.ts";
import { SdkDoor } from "./sdk_door.ts";
import { Site, STILL, WORKED } from "./site.ts";

/** For how long, and with which chance. */
export interface Plan {
  readonly seed: number;
  /** When to begin no further shift, in milliseconds of the clock; there is always a first one. */
  readonly until: number;
  /** How long a shift is in milliseconds. */
  readonly shiftMs: number;
  /** How many shifts at most. */
  readonly shifts: number;
  /** Where people work; at a place that is fragile, servers are killed, too. */
  readonly places: readonly ("steady" | "fragile")[];
  /** Whether to end with the first shift that finds something, and to leave the places as they are. */
  readonly keep: boolean;
}

/** The disk in MiB: what half an hour leaves fits, and filling it takes no time. */
const DISK_MIB = 768;
/** Every so many shifts one in which nothing goes wrong. */
const CALM = 3;

/** One place with everybody who works there, and what its servers took after each shift. */
class Team implements AsyncDisposable {
  readonly taken = new Map<string, number[]>();
  readonly #opened: Opened;
  #recovering: Promise<void> | null = null;

  private constructor(
    readonly site: Site,
    readonly doors: readonly Door[],
    readonly intruder: Intruder,
    readonly checks: Checks,
  ) {
    this.#opened = new Opened(doors, site.server.pid);
  }

  static async make(name: string, fragile: boolean, report: Report): Promise<Team> {
    const site = await Site.make(name, fragile, report);
    const checks = await Checks.of(site, report);
    const stdio = await SdkDoor.open(site, "stdio");
    const http = await SdkDoor.open(site, "HTTP");
    const pages = await PagesDoor.open(site);
    const doors = [stdio, http, httpApi(site), commandLine(site), terminal(site), pages];
    return new Team(site, doors, { site, stdio, http, pages }, checks);
  }

  /** The processes that are meant to run while nobody works. */
  get known(): ReadonlyMap<string, number> {
    const own = this.doors.flatMap(({ name, pid }) => pid === null ? [] : [[name, pid] as const]);
    return new Map([...own, ["the server", this.site.server.pid]]);
  }

  /** Notes what the servers take, which at rest is what they keep. */
  async measure(): Promise<void> {
    for (const [name, pid] of this.known) {
      const taken = await usage(pid);
      if (taken === null) continue;
      this.#take(`${name}, resident MiB`, taken.residentMiB);
      const { descriptors } = taken;
      const all = KINDS.reduce((sum, kind) => sum + descriptors[kind], 0);
      this.#take(`${name}, file descriptors`, all);
      for (const kind of KINDS) this.#take(`${name}, descriptors: ${kind}`, descriptors[kind]);
    }
  }

  #take(what: string, value: number): void {
    this.taken.set(what, [...this.taken.get(what) ?? [], value]);
  }

  /** Starts anew whatever was killed, once for all who ask for it at the same time. */
  recover(report: Report): Promise<void> {
    this.#recovering ??= this.#recover(report).finally(() => this.#recovering = null);
    return this.#recovering;
  }

  async #recover(report: Report): Promise<void> {
    if (await usage(this.site.server.pid) === null) await this.site.serveAgain();
    await this.#opened.again(
      this.site.server.pid,
      async (pid) => await usage(pid) !== null,
      ({ name }) => report.count(`opened again: ${name}`),
    );
  }

  /** Ends everybody and leaves the place as it is. */
  async leave(): Promise<void> {
    for (const door of this.doors) await door[Symbol.asyncDispose]();
    await this.site.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const door of this.doors) await door[Symbol.asyncDispose]();
    await this.site[Symbol.asyncDispose]();
  }
}

/** A shift: who is at work, until when, and whether something goes wrong. */
class Shift {
  #serial: number;
  readonly #report: Report;
  readonly #until: number;
  readonly #isCalm: boolean;

  constructor(report: Report, { until, isCalm, serial }: {
    readonly until: number;
    readonly isCalm: boolean;
    readonly serial: number;
  }) {
    this.#report = report;
    this.#until = until;
    this.#isCalm = isCalm;
    this.#serial = serial;
  }

  /** How many calls there were until now, with those of the shifts before. */
  get serial(): number {
    return this.#serial;
  }

  /** Lets somebody make one call after the other. */
  async work(team: Team, door: Door, random: Random): Promise<void> {
    do {
      const isStill = random.below(8) === 0;
      const ecosystem = isStill ? STILL.name : random.one(Object.keys(WORKED));
      const number = ++this.#serial;
      const chosen = random.one(isStill ? LOOKS : DAY)(random, ecosystem, number);
      if (!door.offers(chosen)) continue;
      const answer = await door.call(chosen, ecosystem, random).catch(broken);
      this.#report.count(`calls: ${door.name}`);
      this.#report.count(`answered ${answer.code}`);
      if (answer.code !== "ok") this.#report.count("calls that were refused or failed");
      const wrong = this.#complaint(team.site, door, answer);
      const trial = `call ${number}, ${team.site.name}, ${door.name}, ${ecosystem}`;
      this.#report.note(
        `${trial}: ${chosen.words.join(" ")}`,
        wrong === null ? [] : [`${wrong}: ${answer.text.slice(0, 900)}`],
      );
      if (!this.#isCalm && answer.code === "broken") await this.#reopen(team);
    } while (Date.now() < this.#until);
  }

  /** Lets a person make files and commits, as an editor and git do. */
  async edit(team: Team, random: Random): Promise<void> {
    do {
      // A git of theirs may be killed like any other.
      await team.site.ledger.work(random).catch(() => this.#report.count("edits that broke"));
      await pause(200 + random.below(800));
    } while (Date.now() < this.#until);
  }

  /** Lets somebody try what must be refused. */
  async intrude(team: Team, random: Random): Promise<void> {
    do {
      const attempt = random.one(ATTEMPTS);
      const answered = await attempt.make(team.intruder, random).catch((error: unknown) =>
        broken(error).code
      );
      this.#report.count(`calls: ${attempt.door}`);
      this.#report.count(`illegal: ${attempt.door}`);
      // Who is killed, or has no room, refuses as well.
      const refused = attempt.expected.test(answered) ||
        !this.#isCalm && answered !== "ok" && answered !== "status 200";
      if (refused) this.#report.count("illegal calls that were refused");
      this.#report.note(
        `${team.site.name}, ${attempt.door}: ${attempt.what}`,
        refused ? [] : [`is answered ${answered}`],
      );
      await pause(random.below(400));
    } while (Date.now() < this.#until);
  }

  async #reopen(team: Team): Promise<void> {
    await pause(300);
    if (Date.now() >= this.#until) return;
    await team.recover(this.#report).catch(() => {});
  }

  /** What is wrong with an answer; null when the call failed for its own reasons, or not at all. */
  #complaint(site: Site, door: Door, { code, text }: Answer): string | null {
    if (text.includes(site.world.env["AMOF_HOME"] ?? "")) return "names a private path";
    if (code === "ok") return null;
    if (code === "internal_error" || /^ {4}at \S+ \(/m.test(text)) return "a fault of the program";
    if (!this.#isCalm) {
      return code === "broken" || code.startsWith("exit ") || code.startsWith("status ") ||
          code in ERROR_CODES || ALSO_OWN.has(code)
        ? null
        : "no code of the table";
    }
    if (door.name === "terminal" && code.startsWith("exit ")) return null;
    if (!OWN_REASONS.has(code) && !ALSO_OWN.has(code)) return `failed with ${code}`;
    return NOT_OWN.test(text) ? "failed for a reason of another caller" : null;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function broken(error: unknown): Answer {
  return { code: "broken", text: error instanceof Error ? error.message : String(error) };
}

/** Lets everybody work together for one shift, then checks. */
async function shift(
  teams: readonly Team[],
  { random, report, disk, isCalm, serial, ms }: {
    readonly random: Random;
    readonly report: Report;
    readonly disk: Disk;
    readonly isCalm: boolean;
    readonly serial: number;
    readonly ms: number;
  },
): Promise<number> {
  const until = Date.now() + ms;
  const now = new Shift(report, { until, isCalm, serial });
  const sites = teams.map(({ site }) => site);
  for (const { strikes } of sites) strikes.active = !isCalm;
  const faults = new Faults({ sites, disk, report, random: random.fork() });
  const wrong = async (fault: () => Promise<void>) => {
    while (!isCalm && Date.now() < until) await fault();
  };
  await Promise.all([
    wrong(() => faults.kill()),
    wrong(() => faults.surroundings()),
    ...teams.flatMap((team) => [
      ...team.doors.map((door) => now.work(team, door, random.fork())),
      now.edit(team, random.fork()),
      now.intrude(team, random.fork()),
    ]),
  ]);
  for (const team of teams) {
    team.site.strikes.active = false;
    if (!isCalm) await team.recover(report);
    await team.checks.all(new Set(team.known.values()));
    await team.measure();
  }
  report.count(isCalm ? "shifts without faults" : "shifts with faults");
  return now.serial;
}

/** How much servers may grow from the end of the warm-up to the end. */
const ALLOWED = {
  "resident MiB": { share: 0.15, plus: 8 },
  "file descriptors": { share: 0, plus: 4 },
} as const;

function judgeGrowth(team: Team, report: Report, say: (line: string) => void): void {
  if (team.site.fragile) return;
  for (const [what, values] of team.taken) {
    const allowed = what.endsWith("MiB") ? ALLOWED["resident MiB"] : ALLOWED["file descriptors"];
    const wrong = growth(values, allowed);
    report.count("checked: servers do not grow");
    report.note(`${team.site.name}: ${what}`, wrong === null ? [] : [wrong]);
    say(`  ${what}: ${values.map((value) => value.toFixed(0)).join(" ")}`);
  }
}

/** Works until the plan says so; what it finds is in the report. */
export async function soak(
  plan: Plan,
  report: Report,
  say: (line: string) => void = () => {},
): Promise<void> {
  const random = new Random(plan.seed);
  const disk = Disk.make(DISK_MIB);
  if (!disk.isSmall) say("  the disk is none of its own here, so it is never full");
  const teams: Team[] = [];
  try {
    for (const place of plan.places) {
      teams.push(await Team.make(place, place === "fragile", report));
    }
    let serial = 0;
    for (let number = 1; number <= plan.shifts; number++) {
      if (number > 1 && Date.now() >= plan.until) break;
      const isCalm = number % CALM === 1;
      const before = serial;
      serial = await shift(teams, {
        random: random.fork(),
        report,
        disk,
        isCalm,
        serial,
        ms: plan.shiftMs,
      });
      say(
        `  shift ${number}, ${isCalm ? "calm" : "rough"}: ${serial - before} calls, ${disk.used()}`,
      );
      if (plan.keep && report.findings.length > 0) break;
    }
    for (const team of teams) judgeGrowth(team, report, say);
    for (const { site } of teams) {
      for (const [what, count] of site.ledger.made()) {
        for (let index = 0; index < count; index++) report.count(what);
      }
    }
  } finally {
    if (plan.keep && report.findings.length > 0) {
      for (const team of teams) {
        await team.leave();
        say(`  ${team.site.name} is left as it is in ${team.site.world.directory}`);
      }
    } else {
      for (const team of teams) await team[Symbol.asyncDispose]();
      disk.remove();
    }
  }
}
