/**
 * Asks a person with the answer of a call, for clients whose revision has no requests of the server (MCP-19): the form
 * goes out as an input request, and comes back with the repeated call and the sealed state.
 */

import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { type Fields, fieldsOf } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { maskValue } from "../../base/text/mask.ts";
import { type App, knownRoots } from "../../pipeline/app.ts";
import { note } from "../../pipeline/audit.ts";
import { type Approver, nobody, type Question } from "../../pipeline/consent/approver.ts";
import { isFor, seal, type State, unseal } from "../../pipeline/consent/sealed_state.ts";
import type { Session } from "../../pipeline/session.ts";
import { findRoot } from "../../workspace/mod.ts";
import { formFor, readForm, showsForms } from "./elicit.ts";
import { type InputRequired, invalidParams, type Returning } from "./features.ts";

/** The name under which the key of this installation is kept. */
const KEY_SETTING = "mcp_state_key";

interface Came {
  readonly app: App;
  readonly session: Session;
  readonly tool: string;
  readonly args: Fields;
  readonly client: string;
  /** Whether forms are asked for at all. */
  readonly forms: boolean;
  /** Whether it may be answered with a task, which asks for the page of an approval by itself. */
  readonly asTask: boolean;
}

/** How the person of a call is asked. */
export interface Asking {
  readonly approver: Approver;
  /** What the answer asks, once the call has put a question; null for none. */
  question(): Promise<InputRequired | null>;
}

/** Nobody is asked. */
const NOT_ASKING: Asking = { approver: nobody, question: () => Promise.resolve(null) };

/** The control repository that calls are about; empty where there is none, which some commands do not need. */
export async function rootOf(app: App): Promise<string> {
  try {
    return await findRoot(app.system, app.root, app.settings.root, () => knownRoots(app));
  } catch (error) {
    if (error instanceof AmofError) return "";
    throw error;
  }
}

/** Who calls, and about which control repository: a state is good for nobody else. */
async function principalOf({ app, session }: Came): Promise<string> {
  return sha256(`${session.owner}\0${await rootOf(app)}`);
}

/** Refuses a state that was not sealed here, or for another call; says nothing of which it is. */
async function refuse({ app, session, tool, args, client }: Came): Promise<never> {
  const report = { log: (_level: unknown, message: string) => app.system.terminal.err(message) };
  await note(app, report, {
    at: app.system.clock.now(),
    door: "mcp",
    client,
    sessionId: session.id,
    root: "",
    ecosystem: "",
    tool,
    args: maskValue(args),
    mode: session.mode,
    decision: "confirmation_invalid",
    way: "elicitation",
    fingerprint: null,
    outcome: "confirmation_invalid",
    runId: null,
  });
  throw invalidParams("requestState is not valid for this request");
}

async function bindingOf(came: Came): Promise<Pick<State, "tool" | "args" | "principal">> {
  return {
    tool: came.tool,
    args: sha256(canonicalJson(came.args)),
    principal: await principalOf(came),
  };
}

async function keyOf({ store, system }: App): Promise<string> {
  return (await store()).settings.once(KEY_SETTING, () => system.ids.hex(64));
}

/** What a client is sent of a question; a form begins with what changed since it was put before. */
function paramsOf({ asks, changed }: Question): Fields {
  if (asks.by === "page") return { mode: "url", url: asks.url, message: asks.message };
  const form = { mode: "form", ...formFor(asks.request) };
  if (changed.length === 0) return form;
  const what = changed.map((line) => `- ${line}`).join("\n");
  return { ...form, message: `Things changed since you were asked:\n${what}\n\n${form.message}` };
}

/**
 * Reads what came with a call, and says how its person is asked. Throws −32602 for a state that is not this call's;
 * nothing is settled by that.
 */
export async function asking(came: Came, returning: Returning): Promise<Asking> {
  const { requestState, inputResponses, capabilities } = returning;
  let state: State | null = null;
  if (requestState !== null) {
    state = unseal(await keyOf(came.app), requestState);
    if (state === null || !isFor(state, await bindingOf(came))) return await refuse(came);
  }
  const { elicitation } = capabilities;
  const forms = came.forms && showsForms(elicitation);
  const pages = !came.asTask && fieldsOf(elicitation)["url"] !== undefined;
  if (!forms && !pages) return NOT_ASKING;
  const said = state === null ? undefined : inputResponses?.[state.question];
  let put: Question | null = null;
  return {
    approver: {
      ask: nobody.ask,
      rounds: {
        forms,
        pages,
        came: state,
        answerTo: (request, afterMs) =>
          said === undefined
            ? null
            : readForm(request, { action: said["action"], content: said["content"] }, afterMs),
        opened: () => said === undefined ? null : said["action"] === "accept",
        put: (question) => put = question,
      },
    },
    async question() {
      if (put === null) return null;
      const { carried } = put;
      const params = paramsOf(put);
      return {
        resultType: "input_required",
        inputRequests: { [carried.question]: { method: "elicitation/create", params } },
        requestState: seal(await keyOf(came.app), { ...carried, ...await bindingOf(came) }),
      };
    },
  };
}
