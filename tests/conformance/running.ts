/**
 * What the official conformance suite wants a server to do as tasks: jobs that last, fail, or ask for something.
 *
 * Tasks lie in files beside the program, because a bridge may start a process for each request.
 *
 * @module
 */

import { dirname, fromFileUrl, join } from "@std/path";
import type { Fields } from "../../src/base/object.ts";
import {
  type Exchange,
  type InputRequired,
  type Started,
  type TaskFeature,
} from "../../src/doors/mcp/features.ts";
import { declares, requireExtension, TASKS } from "../../src/doors/mcp/messages.ts";
import type { CallToolResult } from "../../src/doors/mcp/sdk.ts";
import { asking, contentOf, form } from "./asking.ts";

const FOLDER = join(dirname(fromFileUrl(Deno.mainModule)), "tasks");

/** What is asked for by its name, and what was answered. */
type Named = Readonly<Record<string, Fields>>;

/** A task as its file has it. */
interface Job {
  readonly created: string;
  /** When it is done, in milliseconds; not before everything is answered. */
  readonly until: number;
  readonly asks: Named;
  readonly answers: Named;
  readonly cancelled: boolean;
  /** What is told of it when it is done. */
  readonly end: Fields;
}

function pathOf(id: string): string {
  // What is no id of ours is the name of no file.
  return join(FOLDER, `${id.replaceAll(/[^a-z0-9-]/g, "_")}.json`);
}

async function write(id: string, job: Job): Promise<void> {
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(pathOf(id), JSON.stringify(job));
}

async function read(id: string): Promise<Job | null> {
  const text = await Deno.readTextFile(pathOf(id)).catch(() => null);
  return text === null ? null : JSON.parse(text) as Job;
}

/** What of a job is still to be answered. */
function open({ asks, answers }: Job): Named {
  return Object.fromEntries(Object.entries(asks).filter(([name]) => !(name in answers)));
}

/** What is told of a job. */
function told(taskId: string, job: Job): Fields {
  const inputRequests = open(job);
  const asks = Object.keys(inputRequests).length > 0;
  const end = job.cancelled
    ? { status: "cancelled" }
    : asks
    ? { status: "input_required", inputRequests }
    : Date.now() < job.until
    ? { status: "working" }
    : job.end;
  const lastUpdatedAt = new Date().toISOString();
  return {
    taskId,
    createdAt: job.created,
    lastUpdatedAt,
    ttlMs: null,
    pollIntervalMs: 200,
    ...end,
  };
}

async function started(
  seconds: number,
  end: Fields,
  asks: Named = {},
): Promise<Started> {
  const id = crypto.randomUUID();
  const created = new Date().toISOString();
  const until = Date.now() + seconds * 1_000;
  const job = { created, until, asks, answers: {}, cancelled: false, end };
  await write(id, job);
  const { inputRequests: _, ...task } = told(id, { ...job, until: Infinity });
  return { ...task, resultType: "task" };
}

function says(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** How a task is told that has a result. */
function completed(result: CallToolResult): Fields {
  return { status: "completed", result: { resultType: "complete", ...result } };
}

const FAILED = completed({ ...says("The job failed"), isError: true });
const NAME = form("What is your name?", "name");

type Answer = CallToolResult | InputRequired | Started;

/** Each tool: its arguments, and what it answers to whoever declares tasks, and does not. */
export const RUNNING: Readonly<
  Record<string, {
    readonly arguments: Readonly<Record<string, "string" | "number">>;
    call(args: Fields, exchange: Exchange): Answer | Promise<Answer>;
  }>
> = {
  greet: {
    arguments: { name: "string" },
    call: ({ name }) => says(`Hello, ${name}!`),
  },
  slow_compute: {
    arguments: { seconds: "number", label: "string" },
    call({ seconds }, { returning }) {
      const result = says("Computed");
      if (!declares(returning?.capabilities ?? {}, TASKS)) return result;
      return started(Number(seconds), completed(result));
    },
  },
  failing_job: {
    arguments: {},
    call(_args, { returning }) {
      requireExtension(returning?.capabilities ?? {}, TASKS);
      return started(1, FAILED);
    },
  },
  protocol_error_job: {
    arguments: {},
    call: () => started(0, { status: "failed", error: { code: -32603, message: "Broken" } }),
  },
  confirm_delete: {
    arguments: { filename: "string" },
    call: ({ filename }) =>
      started(0, completed(says(`Deleted ${filename}`)), {
        confirm: form("Delete it?", "confirm", "boolean"),
      }),
  },
  multi_input: {
    arguments: {},
    call: () =>
      started(0, completed(says("Both came")), {
        name: NAME,
        confirm: form("Go on?", "confirm", "boolean"),
      }),
  },
  test_tool_with_task: {
    arguments: {},
    async call(_args, exchange) {
      requireExtension(exchange.returning?.capabilities ?? {}, TASKS);
      const name = contentOf(asking(exchange).inputResponses?.["user_name"])["name"];
      if (name === undefined) {
        return { resultType: "input_required", inputRequests: { user_name: NAME } };
      }
      return await started(0, completed(says(`Hello, ${name}!`)));
    },
  },
};

/** The tasks of the fixtures. */
export const RUNNING_TASKS: TaskFeature = {
  async get(id, { returning }) {
    const job = await read(id);
    if (job === null) return null;
    // Whoever answers what a task asks for is only told that the answers came.
    const came = Object.entries(returning?.inputResponses ?? {})
      .filter(([name]) => name in job.asks);
    const answered = { ...job, answers: { ...job.answers, ...Object.fromEntries(came) } };
    if (came.length > 0) await write(id, answered);
    return told(id, answered);
  },
  async cancel(id) {
    const job = await read(id);
    if (job === null) return false;
    if (!["completed", "failed"].includes(String(told(id, job)["status"]))) {
      await write(id, { ...job, cancelled: true });
    }
    return true;
  },
};
