/**
 * What the official conformance suite wants a server without sessions to ask in its answers.
 *
 * The program itself only ever asks for forms; sampling and roots are asked for here, because the suite wants to see
 * that a server can.
 *
 * @module
 */

import { hmac } from "../../src/base/hash.ts";
import { type Fields, fieldsOf } from "../../src/base/object.ts";
import {
  type Exchange,
  type InputRequired,
  invalidParams,
  ProtocolError,
  type Returning,
} from "../../src/doors/mcp/features.ts";
import type { CallToolResult } from "../../src/doors/mcp/sdk.ts";

type Requests = NonNullable<InputRequired["inputRequests"]>;

const KEY = "conformance";

/** A form with one field. */
export function form(
  message: string,
  name: string,
  type: "string" | "boolean" = "string",
): Requests[string] {
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message,
      requestedSchema: { type: "object", properties: { [name]: { type } }, required: [name] },
    },
  };
}

function sampling(question: string) {
  const messages = [{ role: "user", content: { type: "text", text: question } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens: 100 } };
}

const ROOTS = { method: "roots/list", params: {} };

/** The capability that a request needs. */
const NEEDS: Readonly<Record<string, string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

function sealed(step: string): string {
  return `${step}.${hmac(KEY, step)}`;
}

/** The step of a state; throws for one that was not sealed here. */
function stepOf({ requestState }: Returning): string | null {
  if (requestState === null) return null;
  const [step = ""] = requestState.split(".");
  if (requestState !== sealed(step)) throw invalidParams("The state is none of this server's");
  return step;
}

function done(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** What came with a call; throws for clients that are asked in another way. */
export function asking(exchange: Exchange): Returning {
  if (exchange.returning === null) {
    throw invalidParams("Only clients without a session are asked so");
  }
  return exchange.returning;
}

/** Asks for some things until all of them are there. */
function until(
  requests: Requests,
  say: (answers: Readonly<Record<string, Fields>>) => string,
  state?: string,
) {
  return (exchange: Exchange): CallToolResult | InputRequired => {
    const came = asking(exchange);
    const step = stepOf(came);
    const answers = came.inputResponses ?? {};
    const missing = Object.entries(requests).filter(([name]) => answers[name] === undefined);
    if (missing.length === 0 && (state === undefined || step === state)) return done(say(answers));
    return {
      resultType: "input_required",
      inputRequests: Object.fromEntries(missing),
      ...(state === undefined ? {} : { requestState: sealed(state) }),
    };
  };
}

/** What a person wrote into a form. */
export function contentOf(answer: Fields | undefined): Fields {
  return fieldsOf(answer?.["content"]);
}

const NAME = form("What is your name?", "name");

/** Asks for two things, one after the other. */
function inSteps(exchange: Exchange): CallToolResult | InputRequired {
  const came = asking(exchange);
  const step = stepOf(came);
  if (step === "two") return done("Both are known");
  const [name, question] = step === null
    ? ["step1", form("Step 1: What is your name?", "name")] as const
    : ["step2", form("Step 2: What is your favorite color?", "color")] as const;
  return {
    resultType: "input_required",
    inputRequests: { [name]: question },
    requestState: sealed(step === null ? "one" : "two"),
  };
}

/** Asks only for what this very call declares. */
function asDeclared(exchange: Exchange): CallToolResult | InputRequired {
  const { capabilities, inputResponses } = asking(exchange);
  if (inputResponses !== null) return done("Answered");
  const all: Requests = { user_name: NAME, question: sampling("Why?"), client_roots: ROOTS };
  const inputRequests = Object.fromEntries(
    Object.entries(all).filter(([, { method }]) => capabilities[NEEDS[method] ?? ""] !== undefined),
  );
  return { resultType: "input_required", inputRequests };
}

function needsSampling(exchange: Exchange): CallToolResult {
  if (asking(exchange).capabilities["sampling"] !== undefined) return done("It can");
  throw new ProtocolError(-32021, "This takes sampling", {
    requiredCapabilities: { sampling: {} },
  });
}

/** A question as the answer to a call or a prompt, by the name of either. */
export const ASKING: Readonly<
  Record<string, (exchange: Exchange) => CallToolResult | InputRequired>
> = {
  test_missing_capability: needsSampling,
  test_streaming_elicitation(exchange) {
    exchange.progress(1, 2, "Asking");
    return until({ user_name: NAME }, () => "Told")(exchange);
  },
  test_logging_tool(exchange) {
    exchange.log("info", "Logged");
    return done("Logged");
  },
  test_input_required_result_elicitation: until(
    { user_name: NAME },
    ({ user_name: answer }) => `Hello, ${contentOf(answer)["name"]}!`,
  ),
  test_input_required_result_sampling: until(
    { capital_question: sampling("What is the capital of France?") },
    ({ capital_question: answer }) => String(contentOf(answer)["text"]),
  ),
  test_input_required_result_list_roots: until(
    { client_roots: ROOTS },
    ({ client_roots: answer }) => JSON.stringify(answer?.["roots"]),
  ),
  test_input_required_result_request_state: until(
    { confirm: form("Please confirm", "ok", "boolean") },
    () => "state-ok",
    "confirm",
  ),
  test_input_required_result_multiple_inputs: until(
    { user_name: NAME, greeting: sampling("Generate a greeting"), client_roots: ROOTS },
    () => "All are known",
    "all",
  ),
  test_input_required_result_multi_round: inSteps,
  test_input_required_result_tampered_state: until(
    { confirm: form("Please confirm", "ok", "boolean") },
    () => "Confirmed",
    "tampered",
  ),
  test_input_required_result_capabilities: asDeclared,
};

/** The prompt that asks what it should be about. */
export const askingPrompt = until(
  { user_context: form("What context should the prompt use?", "context") },
  ({ user_context: answer }) => String(contentOf(answer)["context"]),
);
