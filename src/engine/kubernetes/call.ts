/** Calls the user's own `kubectl`, with nothing of the caller's environment but what it needs (ENGINE-9). */

import { AmofError } from "../../base/error.ts";
import { defined, type Fields, fieldsOf } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { Profile } from "../profile.ts";

/** A request may take so long, and what waits for deletions somewhat longer. */
const REQUEST_S = 30;
const TIMEOUT_MS = 150_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** Where kubectl finds its clusters, and what its programs for credentials need. */
const VARIABLES = [
  "PATH",
  "HOME",
  "USER",
  "KUBECONFIG",
  "AWS_PROFILE",
  "AWS_REGION",
  "CLOUDSDK_CONFIG",
  "AZURE_CONFIG_DIR",
  "SSL_CERT_FILE",
] as const;

interface Answer {
  readonly code: number;
  readonly out: string;
  /** The telling line of what it said went wrong. */
  readonly said: string;
}

/** How kubectl says that nobody answers, or not now. */
const NOBODY =
  /connection refused|was refused - did you specify|unable to connect to the server|i\/o timeout|no such host|TLS handshake|ServiceUnavailable|the server is currently unable|context deadline exceeded|context .* does not exist|no configuration has been provided/i;

/** Calls kubectl in the place of a profile. Throws `engine_unavailable` where it is not installed, or nobody answers. */
export async function kubectl(
  { processes, env }: System,
  { kubernetes: { context, namespace } }: Profile,
  args: readonly string[],
  { stdin, signal }: { readonly stdin?: string; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const own = Object.fromEntries(VARIABLES.map((name) => [name, env.get(name)]));
  const result = await processes.run({
    command: "kubectl",
    args: [
      ...(context === undefined ? [] : [`--context=${context}`]),
      ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
      `--request-timeout=${REQUEST_S}s`,
      ...args,
    ],
    clearEnv: true,
    env: { ...defined(own), LC_ALL: "C" },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MOST_OUTPUT,
    ...defined({ stdin, signal }),
  });
  const said = saidBy(result.stderr);
  const problem = result.startError === "not_found"
    ? "kubectl is not installed, or not on PATH"
    : result.startError !== null
    ? "kubectl could not be started"
    : result.timedOut
    ? `kubectl did not answer within ${TIMEOUT_MS / 1_000} s`
    : result.exitCode !== 0 && NOBODY.test(result.stderr)
    ? said
    : null;
  if (problem === null) return { code: result.exitCode, out: result.stdout, said };
  throw unavailable(`Cannot reach Kubernetes: ${problem}`);
}

/** The error of an engine that cannot be asked, or does not let us. */
export function unavailable(message: string): AmofError {
  return new AmofError("engine_unavailable", message, { details: { engine: "kubernetes" } });
}

/** An object, or the list of objects, that kubectl printed as JSON. Throws `engine_unavailable` for anything else. */
export function objectIn({ out }: Pick<Answer, "out">): Fields {
  try {
    return fieldsOf(JSON.parse(out));
  } catch {
    throw unavailable("Cannot read what kubectl says: it is no JSON");
  }
}

function saidBy(text: string): string {
  const line = text.trim().split("\n").filter((one) => one.trim() !== "").at(-1);
  return cleanLine(
    (line ?? "it said nothing").replace(/^(?:error: |Error from server )/i, ""),
    300,
  );
}
