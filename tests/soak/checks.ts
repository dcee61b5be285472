/**
 * What must hold whenever nobody is at work.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { fieldsOf, readObject } from "../../src/base/object.ts";
import { differences, type Inventory, inventory } from "../chaos/inventory.ts";
import { settled } from "../chaos/kills.ts";
import type { Report } from "../chaos/report.ts";
import { program } from "../support/world.ts";
import { processesOf } from "./processes.ts";
import { type Pushed, type Site, STILL, WORKED } from "./site.ts";

/** For how long a git that a killed process had started may go on, in milliseconds. */
const ORPHANED_MS = 30_000;
/** How often, and how many milliseconds apart, processes are asked for that should be gone. */
const TURNS = 100;
const TURN_MS = 100;

/** The tools by which commits reach remotes. */
const PUBLISHING = new Set([
  "amof_push_ecosystem",
  "amof_archive_ecosystem",
  "amof_ticket_end",
]);

interface RunRow {
  readonly run_id: string;
  readonly tool: string;
  readonly status: string;
  readonly ecosystem: string;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly confirmation: string | null;
}

interface AuditRow {
  readonly run_id: string | null;
  readonly tool: string;
  readonly ecosystem: string;
  readonly decision: string;
}

/** What the ecosystem that nobody may change looks like, and its remotes. */
export async function stillOf(site: Site): Promise<Inventory> {
  const all = await inventory(site.world, [STILL.name]);
  const own = (name: string) =>
    // The branches of the control repository are everybody's.
    name.startsWith(`${STILL.name}/`) && name !== `${STILL.name}/workspace` ||
    STILL.repos.some((repo) => name === `remote ${repo}.git`);
  return new Map([...all].filter(([name]) => own(name)));
}

/** Checks one place; what it finds goes to a report. */
export class Checks {
  readonly #site: Site;
  readonly #report: Report;
  readonly #still: Inventory;

  private constructor(site: Site, report: Report, still: Inventory) {
    this.#site = site;
    this.#report = report;
    this.#still = still;
  }

  /** Takes note of what must not change. */
  static async of(site: Site, report: Report): Promise<Checks> {
    return new Checks(site, report, await stillOf(site));
  }

  /** Checks everything; `known` are the processes that are meant to run. */
  async all(known: ReadonlySet<number>): Promise<void> {
    const { world } = this.#site;
    this.#note("runs end", await settled(world) ? [] : ["a run is still being worked on"]);
    await this.#repaired();
    this.#note("what is remembered of clones is what git says", await this.#remembered());
    this.#note("no process is left", await this.#orphans(known));
    this.#note("no commit and no file is lost", await this.#site.ledger.missing());
    const still = differences(this.#still, await stillOf(this.#site));
    this.#note("nothing changes where nobody consents", still);
    this.#note("no lock is left", await this.#locks());
    using database = new DatabaseSync(this.#site.database, { readOnly: true });
    database.exec("PRAGMA busy_timeout = 5000");
    this.#note("the store is whole", this.#store(database));
    this.#note("consent is recorded", await this.#consent(database));
    const verified = await this.#amof("audit", "verify");
    this.#note("the audit log is whole", verified.code === 0 ? [] : [verified.stdout]);
  }

  #note(check: string, problems: readonly string[]): void {
    this.#report.count(`checked: ${check}`);
    this.#report.note(`${this.#site.name}: ${check}`, problems);
  }

  #amof(...args: readonly string[]) {
    const [command = "", ...before] = program();
    return this.#site.world.command(command, [...before, ...args, "--json"]);
  }

  /** What was interrupted is settled by the next call; what was broken from outside by the repair. */
  async #repaired(): Promise<void> {
    for (const ecosystem of Object.keys(WORKED)) {
      const { code, stdout } = await this.#amof("-e", ecosystem, "doctor", "--repair");
      this.#note("the repair succeeds", code === 0 ? [] : [`${ecosystem}: ${code} ${stdout}`]);
    }
    await settled(this.#site.world);
  }

  /** Where an answer that is kept of a clone is another than git's, now that nobody writes. */
  async #remembered(): Promise<string[]> {
    const problems: string[] = [];
    for (const ecosystem of Object.keys(WORKED)) {
      await this.#amof("-e", ecosystem, "status");
      const { code, stdout } = await this.#amof("-e", ecosystem, "doctor", "--verdicts");
      const checks = fieldsOf(readObject(stdout))["checks"];
      const told = Array.isArray(checks)
        ? checks.find(({ name }: { name: unknown }) => name === "verdicts")
        : undefined;
      const compared = Number(/^\d+/.exec(String(told?.detail))?.[0] ?? 0);
      for (let one = 0; one < compared; one++) this.#report.count("compared: what is remembered");
      if (told?.level !== "ok") problems.push(`${ecosystem}: ${code} ${stdout}`);
    }
    return problems;
  }

  async #orphans(known: ReadonlySet<number>): Promise<string[]> {
    let left: string[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      left = (await processesOf(this.#site.world))
        .filter(({ pid }) => !known.has(pid)).map(({ pid, line }) => `${pid} ${line}`);
      if (left.length === 0) return [];
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
    return left;
  }

  async #locks(): Promise<string[]> {
    const { world } = this.#site;
    const script = "find . -name '*.lock' -path '*.git/*' ! -path '*/amof/*'";
    const found = await world.command("sh", ["-c", script], { cwd: world.directory });
    return found.stdout.split("\n").filter((path) => path !== "");
  }

  #store(database: DatabaseSync): string[] {
    const integrity = database.prepare("PRAGMA integrity_check").all()
      .map(({ integrity_check }) => String(integrity_check)).filter((text) => text !== "ok");
    const foreign = database.prepare("PRAGMA foreign_key_check").all()
      .map((row) => `foreign key: ${JSON.stringify(row)}`);
    const active = database.prepare(
      "SELECT run_id, tool, status FROM runs WHERE status NOT IN ('success', 'failed', 'cancelled')",
    ).all().map((row) => `not settled: ${JSON.stringify(row)}`);
    const locks = database.prepare("SELECT * FROM run_locks").all()
      .map((row) => `held: ${JSON.stringify(row)}`);
    return [...integrity, ...foreign, ...active, ...locks];
  }

  /** Whatever ran, and whatever reached a remote, somebody has agreed to, and that is written down. */
  async #consent(database: DatabaseSync): Promise<string[]> {
    // A repair takes back, or finishes, what somebody has agreed to before.
    const runs = database.prepare(
      `SELECT run_id, tool, status, ecosystem, created_at, finished_at, confirmation FROM runs
      WHERE action != 'repair'`,
    ).all() as unknown as RunRow[];
    const entries = database.prepare(
      "SELECT run_id, tool, ecosystem, decision FROM audit WHERE run_id IS NOT NULL",
    ).all() as unknown as AuditRow[];
    // What failed had been agreed to, or there would be no run.
    const agreed = new Set(
      entries.filter(({ decision }) => ["accepted", "executed", "failed"].includes(decision))
        .map(({ run_id }) => run_id),
    );
    const unrecorded = runs.filter(({ run_id }) => !agreed.has(run_id)).map((run) =>
      `a run without consent: ${JSON.stringify(run)}`
    );
    const ecosystemOf = (repo: string) =>
      Object.entries(WORKED).find(([, repos]) => repos.includes(repo))?.[0] ?? STILL.name;
    const covered = ({ repo, at }: Pushed) =>
      runs.some((run) =>
        agreed.has(run.run_id) && PUBLISHING.has(run.tool) &&
        run.ecosystem === ecosystemOf(repo) && run.created_at <= at &&
        at <= (run.finished_at ?? Infinity) + ORPHANED_MS
      );
    const pushes = await this.#site.pushes();
    return [
      ...unrecorded,
      ...pushes.filter((push) => !covered(push)).map((push) =>
        `a push without consent: ${JSON.stringify(push)}`
      ),
    ];
  }
}
