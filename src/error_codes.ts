/**
 * The one table of error codes, and the exit codes of the command line.
 *
 * @module
 */

/** Exit codes of the command line (EXIT-1). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  checkFailed: 3,
  refused: 4,
  partial: 5,
  busy: 6,
  timeout: 124,
  interrupted: 130,
} as const;

/** The exit code of a program that ran in the place of this one, which is passed on (EXIT-1). */
export type ProgramExit = number & { readonly of: "program" };

/** One of the exit codes in {@linkcode EXIT}, or that of a program that ran in the place of this one. */
export type ExitCode = typeof EXIT[keyof typeof EXIT] | ProgramExit;

/** What the code table says about one code. */
interface CodeFacts {
  /** The HTTP status of the category; 0 where the table gives none. */
  readonly http: number;
  /** The category a person reads. */
  readonly category: string;
  /** The exit code of the command line. */
  readonly exit: ExitCode;
  /** What to do next where the one who raised it knows nothing better. */
  readonly hint: string;
}

function facts(http: number, category: string, exit: ExitCode, hint: string): CodeFacts {
  return { http, category, exit, hint };
}

/**
 * Every error code with its HTTP status, category, exit code and hint (ERROR-5).
 */
export const ERROR_CODES = {
  ecosystem_not_found: facts(
    404,
    "Ecosystem not found",
    EXIT.usage,
    "List them: amof ecosystem list",
  ),
  run_not_found: facts(404, "Run not found", EXIT.usage, "List them: amof runs list"),
  confirmation_required: facts(
    403,
    "Confirmation required",
    EXIT.refused,
    "Make the call again and show its preview to a person",
  ),
  type_to_confirm_failed: facts(
    403,
    "Confirmation required",
    EXIT.refused,
    "A person must type the name",
  ),
  mode_insufficient: facts(
    403,
    "Mode insufficient",
    EXIT.refused,
    "Preview in mode plan, act in mode execute",
  ),
  subprocess_failed: facts(
    500,
    "Subprocess failed",
    EXIT.failed,
    "Read what it logged: amof runs list, amof runs logs ID",
  ),
  manifest_invalid: facts(
    422,
    "Manifest invalid",
    EXIT.usage,
    "See every problem with its place: amof manifest validate",
  ),
  invalid_arguments: facts(400, "Invalid arguments", EXIT.usage, "See what there is: amof --help"),
  unknown_tool: facts(0, "Unknown tool", EXIT.usage, "List the tools: tools/list"),
  scope_required: facts(
    400,
    "Scope required",
    EXIT.usage,
    "Name an ecosystem with --ecosystem NAME; see them: amof ecosystem list",
  ),
  ticket_not_found: facts(404, "Ticket not found", EXIT.usage, "List them: amof ticket list"),
  ticket_scope: facts(
    403,
    "Outside of the ticket",
    EXIT.refused,
    "This server is bound to one ticket: leave out ecosystem and ticket",
  ),
  ticket_exists: facts(409, "Ticket exists", EXIT.failed, "Go to it: amof ticket switch ID"),
  workspace_not_installed: facts(
    409,
    "Workspace not installed",
    EXIT.failed,
    "Install it: amof install",
  ),
  workspace_exists: facts(409, "Workspace exists", EXIT.failed, "See how it stands: amof status"),
  ecosystem_busy: facts(409, "Ecosystem busy", EXIT.busy, "See what is running: amof runs active"),
  box_unavailable: facts(
    409,
    "Box unavailable",
    EXIT.refused,
    "A person may run it without a box, with all of their rights: the same command with --no-box",
  ),
  repo_dirty: facts(
    409,
    "Repository dirty",
    EXIT.failed,
    "See which, and commit or discard the changes: amof status",
  ),
  repo_diverged: facts(
    409,
    "Repository diverged",
    EXIT.failed,
    "See how they stand and integrate the remote's commits: amof status",
  ),
  repo_in_progress: facts(
    409,
    "Repository in progress",
    EXIT.failed,
    "Finish or abort what was begun there; see where: amof status",
  ),
  operation_not_found: facts(
    404,
    "Operation not found",
    EXIT.usage,
    "List them: amof operations",
  ),
  undo_stale: facts(
    409,
    "Changed since",
    EXIT.refused,
    "See what the run did, and what changed since: amof operations show RUN",
  ),
  undo_impossible: facts(
    409,
    "Cannot be undone",
    EXIT.refused,
    "See what can be undone: amof operations",
  ),
  would_lose_work: facts(
    409,
    "Would lose work",
    EXIT.failed,
    "Bring the work to safety first: amof push",
  ),
  invalid_transition: facts(
    409,
    "Invalid transition",
    EXIT.failed,
    "See how it stands and ask again",
  ),
  confirmation_invalid: facts(
    403,
    "Confirmation invalid",
    EXIT.refused,
    "Make the call again to get a fresh preview and token",
  ),
  confirmation_expired: facts(
    403,
    "Confirmation expired",
    EXIT.refused,
    "Make the call again to get a fresh preview and token",
  ),
  confirmation_stale: facts(
    403,
    "Confirmation stale",
    EXIT.refused,
    "Make the call again to see the present state",
  ),
  provisioner_missing: facts(
    422,
    "Provisioner missing",
    EXIT.usage,
    "See what the ecosystem names: amof ecosystem describe",
  ),
  git_failed: facts(502, "Git failed", EXIT.failed, "See how the repositories stand: amof status"),
  remote_unreachable: facts(
    502,
    "Remote unreachable",
    EXIT.failed,
    "Check the network and the URL, then repeat",
  ),
  auth_failed: facts(
    502,
    "Authentication failed",
    EXIT.failed,
    "Check that git can log in there: git ls-remote URL",
  ),
  mirror_missing: facts(
    409,
    "Mirror missing",
    EXIT.failed,
    "Make it anew: amof doctor --repair",
  ),
  release_blocked: facts(
    409,
    "Release blocked",
    EXIT.failed,
    "See everything that stands in the way: amof release validate",
  ),
  release_not_found: facts(
    404,
    "Release not found",
    EXIT.usage,
    "Make the first one: amof release init",
  ),
  timeout: facts(
    504,
    "Timeout",
    EXIT.timeout,
    "See how far it got: amof runs list, amof runs logs ID",
  ),
  cancelled: facts(499, "Cancelled", EXIT.interrupted, "See what was done: amof status"),
  state_corrupt: facts(
    500,
    "State corrupt",
    EXIT.failed,
    "Rebuild the state: amof install --repair",
  ),
  internal_error: facts(
    500,
    "Internal error",
    EXIT.failed,
    "Report it with what standard error says",
  ),

  approval_not_found: facts(
    404,
    "Approval not found",
    EXIT.usage,
    "List what waits: amof approvals",
  ),
  approval_pending: facts(
    403,
    "Confirmation required",
    EXIT.refused,
    "A person decides in a terminal: amof approvals; then ask again",
  ),
  archive_not_found: facts(404, "Archive not found", EXIT.usage, "List them: amof archive list"),
  check_failed: facts(
    409,
    "Check failed",
    EXIT.checkFailed,
    "Correct what was found and check again",
  ),
  confirmation_declined: facts(
    403,
    "Confirmation declined",
    EXIT.refused,
    "Ask what should be done instead, before making the call again",
  ),
  confirmation_cancelled: facts(
    403,
    "Confirmation cancelled",
    EXIT.refused,
    "Ask what should be done instead, before making the call again",
  ),
  confirmation_timed_out: facts(
    403,
    "Confirmation timed out",
    EXIT.refused,
    "Make the call again when a person is there to answer",
  ),
  confirmation_failed: facts(
    403,
    "Confirmation failed",
    EXIT.refused,
    "Ask the person in the conversation, then make the call again",
  ),
  ecosystem_exists: facts(409, "Ecosystem exists", EXIT.failed, "List them: amof ecosystem list"),
  interrupted: facts(
    500,
    "Interrupted",
    EXIT.failed,
    "See what was left, and finish or undo it: amof doctor --repair",
  ),
  file_failed: facts(
    500,
    "File system failed",
    EXIT.failed,
    "Check the permissions and the free space of the place that is named",
  ),
  manifest_not_found: facts(
    404,
    "Manifest not found",
    EXIT.usage,
    "Begin one: amof ecosystem create NAME",
  ),
  partial_failure: facts(502, "Partly done", EXIT.partial, "See what is left to do: amof status"),
  provisioner_invalid: facts(
    422,
    "Provisioner invalid",
    EXIT.usage,
    "See what the ecosystem names: amof ecosystem describe",
  ),
  provisioner_untrusted: facts(
    403,
    "Provisioner not approved",
    EXIT.refused,
    "A person reads it and approves it in a terminal: amof spin trust",
  ),
  commit_refused: facts(
    409,
    "Commit refused",
    EXIT.failed,
    "See what stands in the way: amof status",
  ),
  push_refused: facts(409, "Push refused", EXIT.failed, "See what stands in the way: amof status"),
  repo_changed: facts(
    409,
    "Repository changed meanwhile",
    EXIT.failed,
    "Repeat when nothing else works there",
  ),
  repo_not_found: facts(
    404,
    "Repository not found",
    EXIT.usage,
    "See the repositories: amof ecosystem describe",
  ),
  root_not_found: facts(
    404,
    "Control repository not found",
    EXIT.usage,
    "Name the control repository with --root DIR, or with AMOF_ROOT",
  ),
  settings_invalid: facts(
    422,
    "Settings invalid",
    EXIT.usage,
    "Mend it: amof config edit; or see where it is: amof config path",
  ),
  state_busy: facts(
    503,
    "State busy",
    EXIT.busy,
    "Repeat in a moment, or end the program that holds the database",
  ),
  stocktrim_auth_failed: facts(
    502,
    "StockTrim refused the credentials",
    EXIT.failed,
    "Check STOCKTRIM_API_AUTH_ID and STOCKTRIM_API_AUTH_SIGNATURE in the environment of the program",
  ),
  stocktrim_exists: facts(
    409,
    "It is in StockTrim already",
    EXIT.failed,
    "Look at the stored one before anything is written over it",
  ),
  stocktrim_failed: facts(
    502,
    "StockTrim failed",
    EXIT.failed,
    "Repeat it in a moment; if it stays so, check STOCKTRIM_BASE_URL and the connection",
  ),
  stocktrim_not_configured: facts(
    400,
    "StockTrim not configured",
    EXIT.usage,
    "Set STOCKTRIM_API_AUTH_ID and STOCKTRIM_API_AUTH_SIGNATURE in the environment of the program",
  ),
  stocktrim_not_found: facts(
    404,
    "Not found in StockTrim",
    EXIT.usage,
    "Search for it: amof stocktrim product search",
  ),
  stocktrim_outcome_unknown: facts(
    504,
    "Outcome unknown",
    EXIT.failed,
    "Look whether it was done before it is asked for again",
  ),
  stocktrim_refused: facts(
    422,
    "StockTrim refused it",
    EXIT.failed,
    "Correct what StockTrim names, then repeat",
  ),
  clone_untrusted: facts(
    409,
    "Clone untrusted",
    EXIT.refused,
    "A person looks at it and approves it in a terminal: amof repo trust NAME",
  ),
  engine_unavailable: facts(
    502,
    "Engine unavailable",
    EXIT.failed,
    "Look what is wrong: amof engine check",
  ),
  engine_conflict: facts(
    409,
    "Engine conflict",
    EXIT.refused,
    "Look at the arrays of that name with the programs of the engine; nothing was started",
  ),
  plan_refused: facts(
    409,
    "Plan refused",
    EXIT.refused,
    "Make the call again: it makes a new plan",
  ),
  task_untrusted: facts(
    403,
    "Command not approved",
    EXIT.refused,
    "A person reads it and approves it in a terminal: amof exec trust NAME",
  ),
  tool_not_available: facts(
    403,
    "Tool not available",
    EXIT.refused,
    "Whoever starts the server chooses its tools: amof mcp serve --help",
  ),
  workspace_in_use: facts(
    409,
    "Workspace in use",
    EXIT.failed,
    "Go to the control repository first",
  ),
  port_taken: facts(
    409,
    "Port taken",
    EXIT.failed,
    "End that program, or take another port: amof server start --port 8010",
  ),
  server_failed: facts(
    500,
    "Server failed",
    EXIT.failed,
    "See how it stands: amof server status",
  ),
  server_unproven: facts(
    409,
    "Server not proven",
    EXIT.failed,
    "See how it stands: amof server status",
  ),
  token_required: facts(
    401,
    "Token required",
    EXIT.refused,
    "Send the header Authorization: Bearer with the token of the server's token file",
  ),
  origin_refused: facts(
    403,
    "Origin refused",
    EXIT.refused,
    "Address the server by 127.0.0.1 or localhost with its port, and send no foreign Origin",
  ),
  csrf_refused: facts(
    403,
    "Form refused",
    EXIT.refused,
    "Load the page anew and send its form again",
  ),
  person_required: facts(
    403,
    "Person required",
    EXIT.refused,
    "Sign in as a person, in a terminal: amof server open",
  ),
  passkey_required: facts(
    403,
    "Passkey required",
    EXIT.refused,
    "Approve in the page of the request, with a passkey: amof server open",
  ),
  sign_in_refused: facts(
    403,
    "Sign-in refused",
    EXIT.refused,
    "Get a new link, in a terminal: amof server open",
  ),
  request_too_large: facts(413, "Request too large", EXIT.usage, "Send less at once"),
  route_not_found: facts(
    404,
    "Route not found",
    EXIT.usage,
    "Health is at /api/v1/health, MCP at /mcp",
  ),
} as const satisfies Record<string, CodeFacts>;

/** A stable code of {@linkcode ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;
