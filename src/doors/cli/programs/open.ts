/**
 * `amof open`: a repository in the editor, its page in the browser, its directory in the file manager (LOOK-5).
 *
 * What is opened is looked up by `amof path` through the pipeline. Another program gets only a directory that
 * exists or an http address without credentials, as one argument and never through a shell.
 */

import { carryOut } from "../../../pipeline/pipeline.ts";
import type { Outcome } from "../../../pipeline/envelope.ts";
import { ownCommand } from "../../../pipeline/registry.ts";
import { program, type ProgramContext } from "../../../pipeline/line/program.ts";
import { AmofError, EXIT } from "../../../base/error.ts";
import { editorCommand } from "../../../state/settings/changing.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { openerOf } from "../../../base/system/find_program.ts";
import { terminalApprover } from "../prompt.ts";
import { writeOutcome } from "../render.ts";
import { cliSession, stderrReporter } from "../session.ts";

type What = "editor" | "web" | "path";

/** Asks where the repository is, through the pipeline. */
async function lookUp({ app, flags }: ProgramContext, repo: string | undefined): Promise<Outcome> {
  const abort = new AbortController();
  const stopListening = app.system.terminal.onInterrupt(() => abort.abort());
  try {
    return await carryOut(app, {
      command: await ownCommand("amof_get_repo_path"),
      args: repo === undefined ? {} : { repo },
      session: cliSession(app.system, flags),
      door: "cli",
      client: `${app.system.env.user}@cli`,
      signal: abort.signal,
      report: stderrReporter(app.system, flags),
      approver: terminalApprover(app.system.terminal, app.system.env, flags),
      confirmBy: "token",
      offers: () => true,
    });
  } finally {
    stopListening();
  }
}

/** The address of the page; throws where there is none. */
function pageOf(repo: string | undefined, web: unknown): string {
  if (repo === undefined) {
    throw new AmofError("invalid_arguments", "Cannot open a page: no repository was named", {
      hint: "Name the repository: amof open REPO --web",
    });
  }
  if (typeof web !== "string" || !/^https?:\/\//.test(web)) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot open the page of "${cleanLine(repo, 60)}": its URL leads to no host that shows pages`,
      { hint: "See where it is cloned from: amof ecosystem describe" },
    );
  }
  return web;
}

async function vectorOf(
  { app }: ProgramContext,
  what: What,
  target: string,
): Promise<readonly string[]> {
  if (what !== "editor") return openerOf(app.system.env.platform, target);
  const editor = await editorCommand(app.system, app.settings);
  if (editor !== null) return [...editor, target];
  throw new AmofError("invalid_arguments", "Cannot open an editor: none is named", {
    hint: "Name it in the environment, such as export VISUAL='code --wait', and repeat",
  });
}

/** What a shell answers for a program that is not there. */
const NOT_FOUND = 127;

/** Why something was not opened; `code` is null where the opener could not be started. */
function notOpened({ what, target, repo, opener, code }: {
  readonly what: What;
  readonly target: string;
  readonly repo: string | undefined;
  readonly opener: string | undefined;
  readonly code: number | null;
}): AmofError {
  const isThere = code !== null && !(what === "editor" && code === NOT_FOUND);
  const words = ["amof open", repo, what === "editor" ? undefined : `--${what}`, "--print"];
  return new AmofError(
    "subprocess_failed",
    `Cannot open ${target}: ${what === "editor" ? "the editor" : opener} ${
      isThere ? `ended with ${code}` : "could not be started"
    }`,
    {
      hint: what === "editor" && !isThere
        ? "Name one that is installed: amof config set editor 'code --wait'"
        : `Open it by hand; see what: ${words.filter((word) => word !== undefined).join(" ")}`,
    },
  );
}

/** `amof open`. */
export const openProgram = program({
  path: ["open"],
  summary: "Open a repository in your editor, its web page, or its directory.",
  description:
    "The editor is that of your settings, or the one that git would open. Without a repository the workspace is opened. The page is that of the URL in the manifest, on GitHub, GitLab, Bitbucket, Gitea, Azure DevOps and the like.",
  positionals: ["repo"],
  acts: true,
  examples: ["open api", "open api --web", "open api --web --print"],
  input: (z) => ({
    repo: z.string().min(1).optional().describe("The repository; the workspace without one"),
    editor: z.boolean().default(false).describe("In the editor, as without a flag"),
    web: z.boolean().default(false).describe("Its page in the browser"),
    path: z.boolean().default(false).describe("Its directory in the file manager"),
    print: z.boolean().default(false).describe("Only print what would be opened"),
  }),
  async main(ctx, input) {
    const { app: { system }, flags } = ctx;
    const asked = (["editor", "web", "path"] as const).filter((what) => input[what]);
    if (asked.length > 1) {
      throw new AmofError(
        "invalid_arguments",
        `Cannot use --${asked[0]} together with --${asked[1]}`,
        { hint: "Choose one of them" },
      );
    }
    const what: What = asked[0] ?? "editor";
    const outcome = await lookUp(ctx, input.repo);
    if (outcome.isError) {
      writeOutcome(system.terminal, outcome, flags);
      return outcome.exit;
    }
    const { directory, web, repo } = outcome.envelope;
    const target = what === "web" ? pageOf(input.repo, web) : String(directory);
    if (input.print) {
      system.terminal.out(
        flags.json ? `${JSON.stringify({ repo, what, target })}\n` : `${target}\n`,
      );
      return EXIT.ok;
    }
    const vector = await vectorOf(ctx, what, target);
    const code = await system.processes.attach(vector);
    if (code !== 0) throw notOpened({ what, target, repo: input.repo, opener: vector[0], code });
    if (flags.json) system.terminal.out(`${JSON.stringify({ repo, what, target })}\n`);
    return EXIT.ok;
  },
});
