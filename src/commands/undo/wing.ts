/** Undo, as the core knows it. */

import type { Wing } from "../../runs/mod.ts";

/** Undo of what runs did to repositories. */
export const UNDO: Wing = {
  commands: {
    amof_operations: async () => (await import("../operations.ts")).listOperations,
    amof_undo: async () => (await import("./undo.ts")).undo,
  },
  operations: async () => (await import("./operations.ts")).UNDO_OPERATIONS,
  undoPreview: async (...mutation) => await (await import("./preview.ts")).undoPreview(...mutation),
  around: async (ctx, work) => await (await import("./around.ts")).aroundRun(ctx, work),
  async settled(ctx, { run_id: runId, outcome }) {
    await (await import("./preview.ts")).settleKilled(ctx, runId, outcome);
  },
  values: {
    operation: async (place, typed) => await (await import("./typed.ts")).operations(place, typed),
    undoable: async (place, typed) => await (await import("./typed.ts")).undoable(place, typed),
  },
  forget: async (ctx) => await (await import("./forget.ts")).prune(ctx),
};
