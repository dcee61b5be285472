/** The one table of error codes, and the exit codes of the command line. */

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

/** Rows of the table that end with one exit code: status, category, hint. */
function exits(exit: ExitCode): (http: number, category: string, hint: string) => CodeFacts {
  return (http, category, hint) => ({ http, category, exit, hint });
}

const failed = exits(EXIT.failed);
const usage = exits(EXIT.usage);
const refused = exits(EXIT.refused);

/** Every error code with its HTTP status, category, exit code and hint (ERROR-5). */
export const ERROR_CODES = {
  ecosystem_not_found: usage(404, "Ecosystem not found", "List them: amof ecosystem list"),
  run_not_found: usage(404, "Run not found", "List them: amof runs list"),
  confirmation_required: refused(
    403,
    "Confirmation required",
    "Make the call again and show its preview to a person",
  ),
  type_to_confirm_failed: refused(403, "Confirmation required", "A person must type the name"),
  mode_insufficient: refused(403, "Mode insufficient", "Preview in mode plan, act in mode execute"),
  subprocess_failed: failed(
    500,
    "Subprocess failed",
    "Find its run: amof runs list\nRead what it logged: amof runs logs",
  ),
  manifest_invalid: usage(
    422,
    "Manifest invalid",
    "See every problem with its place: amof manifest validate",
  ),
  invalid_arguments: usage(400, "Invalid arguments", "See what there is: amof --help"),
  unknown_tool: usage(0, "Unknown tool", "List the tools: tools/list"),
  scope_required: usage(
    400,
    "Scope required",
    "See them: amof ecosystem list\nName one with --ecosystem NAME",
  ),
  ticket_not_found: usage(404, "Ticket not found", "List them: amof ticket list"),
  ticket_scope: refused(
    403,
    "Outside of the ticket",
    "This server is bound to one ticket: leave out ecosystem and ticket",
  ),
  ticket_exists: failed(409, "Ticket exists", "See how it stands: amof ticket list"),
  workspace_not_installed: failed(409, "Workspace not installed", "Install it: amof install"),
  workspace_exists: failed(409, "Workspace exists", "See how it stands: amof status"),
  ecosystem_busy: exits(EXIT.busy)(409, "Ecosystem busy", "See what is running: amof runs active"),
  box_unavailable: refused(
    409,
    "Box unavailable",
    "A person may run it without a box, with all of their rights: the same command with --no-box",
  ),
  repo_dirty: failed(
    409,
    "Repository dirty",
    "See which, and commit or discard the changes: amof status",
  ),
  repo_diverged: failed(
    409,
    "Repository diverged",
    "See how they stand and integrate the remote's commits: amof status",
  ),
  repo_in_progress: failed(
    409,
    "Repository in progress",
    "See where, and finish or abort what was begun there: amof status",
  ),
  operation_not_found: usage(404, "Operation not found", "List them: amof operations"),
  undo_stale: refused(
    409,
    "Changed since",
    "See what the run did: amof operations",
  ),
  undo_impossible: refused(409, "Cannot be undone", "See what can be undone: amof operations"),
  would_lose_work: failed(409, "Would lose work", "Bring the work to safety first: amof push"),
  invalid_transition: failed(409, "Invalid transition", "See how it stands and ask again"),
  confirmation_invalid: refused(
    403,
    "Confirmation invalid",
    "Make the call again to get a fresh preview and token",
  ),
  confirmation_expired: refused(
    403,
    "Confirmation expired",
    "Make the call again to get a fresh preview and token",
  ),
  confirmation_stale: refused(
    403,
    "Confirmation stale",
    "Make the call again to see the present state",
  ),
  provisioner_missing: usage(
    422,
    "Provisioner missing",
    "See what the ecosystem names: amof ecosystem describe",
  ),
  git_failed: failed(502, "Git failed", "See how the repositories stand: amof status"),
  remote_unreachable: failed(
    502,
    "Remote unreachable",
    "Check the network and the URL, then repeat",
  ),
  auth_failed: failed(
    502,
    "Authentication failed",
    "Sign in there: set up a credential helper or an SSH key for the host, then repeat",
  ),
  mirror_missing: failed(409, "Mirror missing", "Make it anew: amof doctor --repair"),
  program_missing: failed(
    424,
    "Program missing",
    "Install the program that is named, or put its directory on PATH",
  ),
  forge_failed: failed(
    502,
    "Forge failed",
    "See how the pull requests stand: amof pr status",
  ),
  forge_limited: failed(429, "Forge limited", "Repeat after the time that is named"),
  change_not_found: usage(404, "Pull requests not found", "See how it stands: amof pr status"),
  change_moved: refused(409, "Changed at the forge", "See what is there now: amof pr status"),
  change_blocked: exits(EXIT.checkFailed)(
    409,
    "Pull requests blocked",
    "See what stands in the way: amof pr status",
  ),
  release_blocked: failed(
    409,
    "Release blocked",
    "See everything that stands in the way: amof release validate",
  ),
  release_not_found: usage(404, "Release not found", "Make the first one: amof release init"),
  timeout: exits(EXIT.timeout)(
    504,
    "Timeout",
    "Find its run: amof runs list\nSee how far it got: amof runs logs",
  ),
  cancelled: exits(EXIT.interrupted)(499, "Cancelled", "See what was done: amof status"),
  state_corrupt: failed(500, "State corrupt", "Rebuild the state: amof install --repair"),
  internal_error: failed(500, "Internal error", "Report it with what standard error says"),
  approval_not_found: usage(404, "Approval not found", "List what waits: amof approvals"),
  approval_pending: refused(
    403,
    "Confirmation required",
    "A person decides in a terminal: amof approvals\nThen ask again",
  ),
  archive_not_found: usage(404, "Archive not found", "List them: amof archive list"),
  check_failed: exits(EXIT.checkFailed)(
    409,
    "Check failed",
    "Correct what was found and check again",
  ),
  confirmation_declined: refused(
    403,
    "Confirmation declined",
    "Ask what should be done instead, before making the call again",
  ),
  confirmation_cancelled: refused(
    403,
    "Confirmation cancelled",
    "Ask what should be done instead, before making the call again",
  ),
  confirmation_timed_out: refused(
    403,
    "Confirmation timed out",
    "Make the call again when a person is there to answer",
  ),
  confirmation_failed: refused(
    403,
    "Confirmation failed",
    "Ask the person in the conversation, then make the call again",
  ),
  ecosystem_exists: failed(409, "Ecosystem exists", "List them: amof ecosystem list"),
  interrupted: failed(
    500,
    "Interrupted",
    "See what was left, and finish or undo it: amof doctor --repair",
  ),
  file_failed: failed(
    500,
    "File system failed",
    "Check the permissions and the free space of the place that is named",
  ),
  manifest_not_found: usage(404, "Manifest not found", "Begin one: amof ecosystem create NAME"),
  partial_failure: exits(EXIT.partial)(502, "Partly done", "See what is left to do: amof status"),
  provisioner_invalid: usage(
    422,
    "Provisioner invalid",
    "See what the ecosystem names: amof ecosystem describe",
  ),
  provisioner_untrusted: refused(
    403,
    "Provisioner not approved",
    "A person reads it and approves it in a terminal: amof spin trust",
  ),
  commit_refused: failed(409, "Commit refused", "See what stands in the way: amof status"),
  push_refused: failed(409, "Push refused", "See what stands in the way: amof status"),
  repo_changed: failed(409, "Repository changed meanwhile", "Repeat when nothing else works there"),
  repo_not_found: usage(
    404,
    "Repository not found",
    "See the repositories: amof ecosystem describe",
  ),
  root_not_found: usage(
    404,
    "Control repository not found",
    "Name the control repository with --root DIR, or with AMOF_ROOT",
  ),
  settings_invalid: usage(
    422,
    "Settings invalid",
    "Mend it: amof config edit\nSee where it is: amof config path",
  ),
  state_busy: exits(EXIT.busy)(
    503,
    "State busy",
    "Repeat in a moment, or end the program that holds the database",
  ),
  stocktrim_auth_failed: failed(
    502,
    "StockTrim refused the credentials",
    "Check STOCKTRIM_API_AUTH_ID and STOCKTRIM_API_AUTH_SIGNATURE in the environment of the program",
  ),
  stocktrim_exists: failed(
    409,
    "It is in StockTrim already",
    "Look at the stored one before anything is written over it",
  ),
  stocktrim_failed: failed(
    502,
    "StockTrim failed",
    "Repeat it in a moment, and if it stays so, check STOCKTRIM_BASE_URL and the connection",
  ),
  stocktrim_not_configured: usage(
    400,
    "StockTrim not configured",
    "Set STOCKTRIM_API_AUTH_ID and STOCKTRIM_API_AUTH_SIGNATURE in the environment of the program",
  ),
  stocktrim_not_found: usage(
    404,
    "Not found in StockTrim",
    "Search for it: amof stocktrim product search",
  ),
  stocktrim_outcome_unknown: failed(
    504,
    "Outcome unknown",
    "Look whether it was done before it is asked for again",
  ),
  stocktrim_refused: failed(
    422,
    "StockTrim refused it",
    "Correct what StockTrim names, then repeat",
  ),
  clone_untrusted: refused(
    409,
    "Clone untrusted",
    "A person looks at it in a terminal: amof status",
  ),
  engine_unavailable: failed(502, "Engine unavailable", "Look what is wrong: amof engine check"),
  engine_conflict: refused(
    409,
    "Engine conflict",
    "Look at the arrays of that name with the programs of the engine: nothing was started",
  ),
  plan_refused: refused(409, "Plan refused", "Make the call again: it makes a new plan"),
  task_untrusted: refused(
    403,
    "Command not approved",
    "A person approves it in a terminal; see what is approved: amof exec trust --list",
  ),
  tool_not_available: refused(
    403,
    "Tool not available",
    "Whoever starts the server chooses its tools: amof mcp serve --help",
  ),
  workspace_in_use: failed(409, "Workspace in use", "Go to the control repository first"),
  port_taken: failed(
    409,
    "Port taken",
    "End that program\nTake another port: amof server start --port 8010",
  ),
  server_failed: failed(500, "Server failed", "See how it stands: amof server status"),
  server_unproven: failed(409, "Server not proven", "See how it stands: amof server status"),
  token_required: refused(
    401,
    "Token required",
    "Send the header Authorization: Bearer with the token of the server's token file",
  ),
  origin_refused: refused(
    403,
    "Origin refused",
    "Address the server by 127.0.0.1 or localhost with its port, and send no foreign Origin",
  ),
  csrf_refused: refused(403, "Form refused", "Load the page anew and send its form again"),
  person_required: refused(
    403,
    "Person required",
    "Sign in as a person, in a terminal: amof server open",
  ),
  passkey_required: refused(
    403,
    "Passkey required",
    "Approve in the page of the request, with a passkey: amof server open",
  ),
  sign_in_refused: refused(
    403,
    "Sign-in refused",
    "Get a new link, in a terminal: amof server open",
  ),
  request_too_large: usage(413, "Request too large", "Send less at once"),
  route_not_found: usage(404, "Route not found", "Health is at /api/v1/health, MCP at /mcp"),
} as const satisfies Record<string, CodeFacts>;

/** A stable code of {@linkcode ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;

// What helps where git failed, by what went wrong.

const GET_GIT = "https://git-scm.com/downloads";

/** Instead of the hint of a code, what helps where git failed, by the kind of that. */
export const GIT_HINTS = {
  auth: "Sign in first: set up a credential helper or an SSH key for this host, then repeat",
  certificate:
    "Have the certificate renewed, or tell git which authority to trust: git config --global http.sslCAInfo FILE",
  network: "Check the connection and the URL, then repeat",
  conflict: "Resolve or abort the merge in that repository, then repeat",
  in_the_way: "Commit these files or move them away, then repeat",
  name_taken:
    "A branch a and a branch a/b cannot be together: rename or delete the one that is there already",
  non_fast_forward: "Fetch and integrate the remote's commits first: amof sync",
  remote_rejected: "The remote's rules refused the update: its own message says why",
  submodule_unpushed: "Push the submodules first, then repeat",
  not_a_repo: "Check that the directory or URL is a git repository: amof status",
  no_origin: "See which command mends it: amof status",
  lock: "Wait for the git process that works there, or remove a stale lock file",
  timeout: "Repeat, and if it persists, run the git command by hand to see where it waits",
  no_git:
    `Install git, or put its directory on PATH (where an AI host starts amof, in AMOF_PATH): ${GET_GIT}`,
  signing:
    "See by which key git signs: git config --show-origin --get-regexp '^(commit|tag|gpg|user)[.].*(sign|key|program)'",
  identity:
    "Tell git your name: git config --global user.name NAME\nAnd your address: git config --global user.email EMAIL",
  too_old: `Update git: ${GET_GIT}`,
  no_directory: "See what is left of the workspace: amof status",
  disk_full: "Free some disk space, then repeat",
  read_only: "Check the permissions of the directory",
  damaged: "Of a clone that is damaged, move the directory away, then: amof install --repair",
  no_repository: "Look at it: amof status",
} as const;
