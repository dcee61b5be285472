/** The operations that journaled steps are made of: what each does, and how it is taken back (STEP-1, STEP-2). */

import { AmofError } from "../../base/error.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";

/** Plain JSON arguments of an operation. */
type OperationArguments = Readonly<Record<string, unknown>>;

/** Thrown by a step that has looked and then touched nothing: there is nothing of it to take back. */
export class NothingTouched extends AmofError {}

interface OperationSpec<A extends OperationArguments> {
  /** Unique and stable: it is written into journals. */
  readonly name: string;
  /** What it does, as a log line: "Clone 3 repositories". */
  readonly describe: (args: A) => string;
  /** Does it. Must be harmless to repeat after it was interrupted at any point. */
  readonly act: (ctx: ExecuteContext, args: A) => Promise<void>;
  /**
   * The repositories it changes, absolute; when taking a step back fails, earlier steps in the same places are left
   * alone. Absent when it may change anything.
   */
  readonly touches?: (args: A) => readonly string[];
  /**
   * The phase in which it is done; absent where steps in different repositories may depend on each other. Steps of one
   * phase are done at once, and none before the phase before has ended in all repositories (STEP-7).
   */
  readonly phase?: "prepare" | "change" | "finish";
  /** Whether it does nothing but tidy up after work that was cut off; what was done until then stands. */
  readonly tidies?: boolean;
  /**
   * Takes back what `act` made, and only that, also when `act` was interrupted half-way or never began.
   * Absent when there is nothing to take back.
   */
  readonly undo?: (ctx: ExecuteContext, args: A) => Promise<void>;
}

/** An operation that can be planned. */
export interface Operation<A extends OperationArguments = OperationArguments>
  extends OperationSpec<A> {
  /** A step that does this with these arguments. */
  readonly step: (args: A) => JournalStep;
}

/**
 * Declares an operation.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { operation } from "./operation.ts";
 *
 * const makeDirectory = operation<{ readonly path: string }>({
 *   name: "example_make_directory",
 *   describe: ({ path }) => `Make ${path}`,
 *   act: async (ctx, { path }) => void await ctx.system.files.makeDirectory(path),
 *   undo: async (ctx, { path }) => void await ctx.system.files.remove(path),
 * });
 * assertEquals(makeDirectory.step({ path: "/tmp/a" }), {
 *   op: "example_make_directory",
 *   args: { path: "/tmp/a" },
 * });
 * ```
 */
export function operation<A extends OperationArguments>(spec: OperationSpec<A>): Operation<A> {
  return { ...spec, step: (args) => ({ op: spec.name, args }) };
}

/** Operations by name. The arguments of a journal's step are those its own `step` wrote. */
export type OperationTable = ReadonlyMap<string, Operation>;

/** Makes the table of operations; throws on a name that is used twice. */
export function operationTable(operations: readonly Operation<never>[]): OperationTable {
  const table = new Map<string, Operation>();
  for (const entry of operations) {
    if (table.has(entry.name)) {
      throw new TypeError(`Cannot use the operation name "${entry.name}" twice`);
    }
    table.set(entry.name, entry as unknown as Operation);
  }
  return table;
}

/** The operation of a name; throws `state_corrupt` when this program does not have it. */
export function findOperation(operations: OperationTable, op: string): Operation {
  const operation = operations.get(op);
  if (operation !== undefined) return operation;
  throw new AmofError(
    "state_corrupt",
    `Cannot finish or undo an interrupted step: this program does not know "${op}"`,
    {
      hint: "Use the version of amof that began it",
      details: { op },
    },
  );
}
