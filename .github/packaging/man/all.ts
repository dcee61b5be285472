/**
 * All manual pages of a release, out of the declarations that make `--help`.
 *
 * @module
 */

import { PACK_GROUPS } from "../../../src/apps/agentpack/mod.ts";
import { PACK_EXAMPLES, PACK_SUMMARY } from "../../../src/doors/agentpack/cli/about.ts";
import { DOOR_COMMANDS, packPage } from "../../../src/doors/agentpack/cli/help.ts";
import { entriesOf, PACK_ENTRIES, PACK_FLAGS } from "../../../src/doors/agentpack/cli/parse.ts";
import { ENTRIES } from "../../../src/doors/cli/entries.ts";
import { commandPage, sections, visible } from "../../../src/doors/cli/asked_page.ts";
import { ENVIRONMENT, EXIT_CODES } from "../../../src/doors/cli/topics.ts";
import { GLOBAL_FLAGS } from "../../../src/pipeline/line/flags.ts";
import { commandManual, type ManualPage, overviewManual, type Release } from "./pages.ts";

/** The exit codes that agentpack's command line has (PACK-39). */
const PACK_EXIT_CODES = EXIT_CODES.filter(([code]) => ["0", "1", "2", "3"].includes(code));

async function amofPages(release: Release): Promise<ManualPage[]> {
  const shown = visible(ENTRIES);
  const pages = await Promise.all(
    shown.map(async (entry) =>
      commandManual(await commandPage(await entry.load(), ENTRIES), entry.path, release)
    ),
  );
  return [
    overviewManual({
      program: "amof",
      summary: "operate many git repositories as one, safely",
      description:
        "amof works on the git repositories of an ecosystem as one: it installs, updates, looks at and pushes them, keeps tickets and releases that span them, and runs programs in them. What changes something is previewed and agreed to first. An ecosystem is described by a manifest in a control repository: ecosystems/NAME/ecosystem.yaml.",
      sections: sections(ENTRIES),
      flags: GLOBAL_FLAGS,
      exitCodes: EXIT_CODES,
      environment: ENVIRONMENT,
      examples: ["demo", "install", "status", "sync", "exec -- git fetch --all", "push"],
    }, release),
    ...pages,
  ];
}

function packPages(release: Release): ManualPage[] {
  const prefix = "agentpack";
  return [
    overviewManual({
      program: prefix,
      summary: PACK_SUMMARY,
      description:
        "agentpack deploys instructions, prompts, skills, commands, rules, hooks and MCP servers to the tools that people let agents work with. It is the same program as amof agentpack.",
      sections: [
        ...PACK_GROUPS.map(([title, commands]) =>
          [
            title,
            commands.flatMap((command) =>
              entriesOf(command).map(({ path }) => ({ path, summary: command.summary }))
            ),
          ] as const
        ),
        ["Other", DOOR_COMMANDS],
      ],
      flags: PACK_FLAGS,
      exitCodes: PACK_EXIT_CODES,
      environment: [
        ["AGENTPACK_HOME", "where it keeps what is its own, instead of ~/.agentpack"],
        ["AGENTPACK_PROJECT_ROOT", "the project, as --project-root"],
        ["NO_COLOR", "set: no colours, as --color never"],
      ],
      examples: PACK_EXAMPLES,
    }, release),
    ...[...PACK_ENTRIES, ...DOOR_COMMANDS].map((entry) =>
      commandManual(packPage(entry, prefix), entry.path, release)
    ),
  ];
}

/** All pages, those of both programs. */
export async function manualPages(release: Release): Promise<readonly ManualPage[]> {
  return [...await amofPages(release), ...packPages(release)];
}
