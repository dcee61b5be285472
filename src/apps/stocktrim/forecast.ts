/** `amof stocktrim forecast run`: lets the service calculate its forecast anew (STOCKTRIM-7). */

import { AmofError } from "../../base/error.ts";
import { type Mutation, mutation } from "../../contract/mod.ts";
import type { StockTrim } from "./client/client.ts";
import type { ProcessingStatus } from "./client/records.ts";
import { requireDone, service, SERVICE_COMMAND } from "./declare.ts";
import { shown } from "./shown.ts";

/** What tells how far a calculation is. */
const READER = "amof stocktrim order-plan --limit 1";
/** Between two looks at a calculation. */
const PAUSE_MS = 2_000;

interface RunData {
  /** False where a calculation was at work already. */
  readonly started: boolean;
  readonly finished: boolean;
  readonly percent: number | null;
  readonly message: string | null;
}

function dataOf(started: boolean, status: ProcessingStatus): RunData {
  return {
    started,
    finished: !status.isProcessing,
    percent: status.percentageComplete,
    message: status.statusMessage,
  };
}

/** How far it is; null where the service does not tell, which is no reason to fail. */
export async function progressOf({ forecast }: StockTrim): Promise<ProcessingStatus | null> {
  try {
    return await forecast.status();
  } catch (thrown) {
    if (thrown instanceof AmofError) return null;
    throw thrown;
  }
}

/** `amof stocktrim forecast run`. */
export const runForecast: Mutation = mutation({
  ...SERVICE_COMMAND,
  name: "stocktrim_forecast_run",
  path: ["stocktrim", "forecast", "run"],
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "forecast", verb: "run", will: "let StockTrim calculate its forecast anew" },
  next: ["stocktrim_order_plan"],
  title: "Run forecast",
  summary: "Let StockTrim calculate its forecast anew; answers after wait_seconds at the latest.",
  examples: ["stocktrim forecast run --wait-seconds 30"],
  input: (z) => ({
    wait_seconds: z.int().min(0).max(40).default(20).describe(
      "How long to wait for the end; the order plan tells later how far it is",
    ),
  }),
  async preview(ctx) {
    const status = await (await service(ctx, "preview")).forecast.status();
    return {
      // How far a calculation is changes by itself; only whether there is one counts.
      facts: { is_processing: status.isProcessing },
      subject: { name: "forecast of all products", typed: { what: "word run", value: "run" } },
      summary: "Would let StockTrim calculate its forecast anew.",
      effects: ["Calculate the forecast of all products anew, with new recommendations"],
      current: status.isProcessing
        ? `A calculation goes on: ${status.percentageComplete ?? 0} %`
        : "No calculation goes on",
      alternatives: ["See the present figures: amof stocktrim order-plan"],
      ...(status.isProcessing ? { settled: { data: dataOf(false, status) } } : {}),
    };
  },
  async execute(ctx, { wait_seconds }) {
    requireDone(await (await service(ctx, "execute")).forecast.run(), READER);
    const { clock } = ctx.system;
    const until = clock.now() + wait_seconds * 1_000;
    const stocktrim = await service(ctx, "waiting");
    for (;;) {
      const status = await progressOf(stocktrim);
      // It was started, whatever becomes of looking how far it is.
      if (status === null) {
        return { data: { started: true, finished: false, percent: null, message: null } };
      }
      ctx.report.progress(
        status.isProcessing ? Math.min(99, status.percentageComplete ?? 0) : 100,
        100,
        `forecast: ${shown(status.statusMessage, status.isProcessing ? "at work" : "done")}`,
      );
      const over = !status.isProcessing || ctx.signal.aborted || clock.now() + PAUSE_MS > until;
      if (over) return { data: dataOf(true, status) };
      await clock.sleep(PAUSE_MS, ctx.signal);
    }
  },
  render: ({ started, finished, percent, message }: RunData) => ({
    summary: finished
      ? "Calculated the forecast."
      : `${started ? "Started the forecast" : "Left it: a calculation goes on"}, ${
        percent ?? 0
      } % done.`,
    details: finished ? [] : [
      `StockTrim says: ${shown(message, "nothing")}`,
      `See how far it is: ${READER}`,
    ],
  }),
});
