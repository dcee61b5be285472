/** Commands that a manifest gives a name: `tasks` (EXEC-5). */

import type { z as Zod } from "zod";
import type { ZodNamespace } from "../../contract/mod.ts";
import { SLUG } from "../../base/ids.ts";
import { parseDuration } from "../../base/text/moment.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { type Mistake, mistake } from "./shape.ts";

/** In which order repositories are worked on. */
export const ORDERS = ["parallel", "layers", "serial"] as const;
/** One of {@linkcode ORDERS}. */
export type Order = typeof ORDERS[number];

/** A command with a name. */
export interface Task {
  readonly name: string;
  readonly description: string;
  /** Program and arguments; null where a shell line is given instead. */
  readonly run: readonly string[] | null;
  /** A line for `sh -c`; null where a program is given. */
  readonly shell: string | null;
  /** The words that select its repositories, as they are written. */
  readonly repos: readonly string[];
  readonly tags: readonly string[];
  readonly only: readonly string[];
  /** Names of variables it gets besides the usual ones where it does not get all. */
  readonly env: readonly string[];
  readonly order: Order;
  /** How long it may take in one repository, in seconds; null for as long as it likes. */
  readonly timeLimit: number | null;
}

/** The member of a manifest that names commands. */
// deno-lint-ignore explicit-module-boundary-types -- only its own construction can spell a schema's type
export function tasksSchema(z: ZodNamespace) {
  const words = (what: string) => z.array(z.string()).optional().describe(what);
  const task = z.looseObject({
    description: z.string().optional().describe("Shown by amof tasks"),
    run: z.array(z.string()).min(1, "must name a program").optional().describe(
      "Program and arguments, without a shell: [make, test]",
    ),
    shell: z.string().min(1, "must not be empty").optional().describe(
      "A line for sh -c, instead of run",
    ),
    repos: words("Only these repositories: names, 'svc-*', '!web'"),
    tags: words("Only repositories with these tags or groups"),
    only: words("Only repositories that stand so: dirty, ahead, …"),
    env: z.array(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
    ).optional().describe("Names of variables it gets besides the usual ones, where not all pass"),
    order: z.enum(ORDERS).optional().describe(
      "All at once, what depends_on names first, or one by one; parallel when absent",
    ),
    timeout: z.union([z.string(), z.int()]).optional().describe(
      "How long it may take in one repository: 600, 90s, 10m, 1h30m",
    ),
  });
  return z.record(z.string(), task).optional().describe(
    "Commands that have a name: test: {run: [make, test]}",
  );
}

/** Tasks as they are written in the file, after their shape was checked. */
type RawTasks = NonNullable<Zod.output<ReturnType<typeof tasksSchema>>>;

function limitOf(timeout: string | number | undefined): number | null {
  return timeout === undefined ? null : parseDuration(String(timeout));
}

/** What is wrong with tasks besides their shape. */
export function checkTasks(tasks: Partial<RawTasks> | undefined): Mistake[] {
  return Object.entries(tasks ?? {}).flatMap(([name, task]) => {
    const at = ["tasks", name];
    const shown = cleanLine(name, 60);
    const found: Mistake[] = [];
    if (!SLUG.test(name)) {
      found.push({
        ...mistake(
          at,
          `"${shown}" cannot be the name of a task`,
          'Use letters, digits, ".", "_" and "-", beginning with a letter or digit',
        ),
        ofKey: true,
      });
    }
    if (task === undefined) return found;
    const both = task.run !== undefined && task.shell !== undefined;
    if (both || (task.run === undefined && task.shell === undefined)) {
      found.push(mistake(
        at,
        both ? `"${shown}" says both run and shell` : `"${shown}" says nothing to run`,
        both ? "Keep one of them" : "Write run: [make, test], or shell: with a line for sh",
      ));
    }
    if (task.run?.[0] === "") {
      found.push(mistake([...at, "run", 0], "The program is missing", "Write run: [make, test]"));
    }
    if (task.timeout !== undefined && limitOf(task.timeout) === null) {
      found.push(mistake(
        [...at, "timeout"],
        `"${cleanLine(String(task.timeout), 40)}" is no time from a second to a week`,
        "Write seconds, or 90s, 10m, 1h30m",
      ));
    }
    return found;
  });
}

/** The tasks of a manifest that was checked, in its order. */
export function toTasks(raw: RawTasks | undefined): Task[] {
  return Object.entries(raw ?? {}).map(([name, task]) => ({
    name,
    description: task.description ?? "",
    run: task.run ?? null,
    shell: task.shell ?? null,
    repos: task.repos ?? [],
    tags: task.tags ?? [],
    only: task.only ?? [],
    env: task.env ?? [],
    order: task.order ?? "parallel",
    timeLimit: limitOf(task.timeout),
  }));
}
