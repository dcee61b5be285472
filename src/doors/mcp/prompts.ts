/**
 * Prompts: common intents as texts that lead a model through the right tools in the right order, with a
 * person's consent where it belongs (MCP-12).
 *
 * A prompt is offered where all the tools it names are.
 */

import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { type Door, offered } from "./selection.ts";
import { invalidParams, isStructured, type PromptFeature } from "./features.ts";

/** What completes an argument: names that exist, or a closed set of values. */
export type Completed =
  | "ecosystem"
  | "ticket"
  | "run"
  | "release"
  | "repository"
  | "product"
  | "supplier"
  | "customer"
  | "purchase_order"
  | readonly string[];

interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly completed: Completed;
}

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** Every tool the text names. */
  readonly tools: readonly string[];
  /** The text; arguments that were not given are empty. */
  text(args: Readonly<Record<string, string>>): string;
}

const ECOSYSTEM: Argument = {
  name: "ecosystem",
  description: "The ecosystem",
  required: true,
  completed: "ecosystem",
};

const CONSENT =
  "If the answer holds a confirmation request, show me its preview and wait for my consent before amof_confirm.";
const FOLLOW =
  "Follow the run with amof_get_run_status until it has ended; if it failed, read amof_get_run_logs and tell me why.";

/** A text of numbered steps. */
function steps(intent: string, ...lines: readonly string[]): string {
  return [intent, "", ...lines.map((line, index) => `${index + 1}. ${line}`)].join("\n");
}

/** A value as it stands in a call. */
function quoted(value: string | undefined): string {
  return JSON.stringify(value ?? "");
}

const PROMPTS: readonly Prompt[] = [
  {
    name: "deploy",
    title: "Deploy an environment",
    description: "Preview, confirm and follow the deployment of an ecosystem's environment",
    arguments: [ECOSYSTEM],
    tools: [
      "amof_describe_ecosystem",
      "amof_get_ecosystem_status",
      "amof_spin_deploy",
      "amof_confirm",
      "amof_get_run_status",
      "amof_get_run_logs",
    ],
    text: ({ ecosystem }) =>
      steps(
        `Deploy the environment of the ecosystem ${quoted(ecosystem)}.`,
        `See what there is: amof_describe_ecosystem(ecosystem=${
          quoted(ecosystem)
        }) for its provisioner, amof_get_ecosystem_status(ecosystem=${
          quoted(ecosystem)
        }) for unpushed work.`,
        `Preview: amof_spin_deploy(ecosystem=${
          quoted(ecosystem)
        }, mode="plan"). Tell me the provisioner, what it would run and how long it may take.`,
        `When I agree: amof_spin_deploy(ecosystem=${
          quoted(ecosystem)
        }, mode="execute"). ${CONSENT}`,
        FOLLOW,
      ),
  },
  {
    name: "discard",
    title: "Discard a workspace",
    description: "See what would be lost, weigh archiving, and discard only with the typed name",
    arguments: [ECOSYSTEM],
    tools: [
      "amof_get_ecosystem_status",
      "amof_archive_ecosystem",
      "amof_discard_ecosystem",
      "amof_confirm",
      "amof_get_run_status",
      "amof_get_run_logs",
    ],
    text: ({ ecosystem }) =>
      steps(
        `Discard the workspace of the ecosystem ${quoted(ecosystem)}. This cannot be undone.`,
        `Look for work that is nowhere else: amof_get_ecosystem_status(ecosystem=${
          quoted(ecosystem)
        }).`,
        `Preview: amof_discard_ecosystem(ecosystem=${
          quoted(ecosystem)
        }, mode="plan"). List every branch and directory that would go and everything that would be lost.`,
        "If anything would be lost, propose amof_archive_ecosystem instead and wait for my decision.",
        `If I still want it: amof_discard_ecosystem(ecosystem=${
          quoted(ecosystem)
        }, mode="execute"). I must type the name myself; never fill it in for me.`,
        FOLLOW,
      ),
  },
  {
    name: "start_ticket",
    title: "Start work on a ticket",
    description: "Bring the workspace up to date and make the ticket's branches",
    arguments: [
      ECOSYSTEM,
      {
        name: "ticket_id",
        description: "The ticket, such as PROJ-123",
        required: true,
        completed: "ticket",
      },
      {
        name: "repos",
        description: "Only these repositories, separated by commas",
        required: false,
        completed: "repository",
      },
    ],
    tools: [
      "amof_get_ecosystem_status",
      "amof_sync_ecosystem",
      "amof_ticket_list",
      "amof_ticket_start",
      "amof_ticket_switch",
      "amof_get_run_status",
      "amof_get_run_logs",
    ],
    text: ({ ecosystem, ticket_id, repos = "" }) => {
      const names = repos.split(",").map((name) => name.trim()).filter((name) => name !== "");
      const chosen = names.length === 0 ? "" : `, repos=${JSON.stringify(names)}`;
      const call = `ecosystem=${quoted(ecosystem)}, ticket_id=${quoted(ticket_id)}`;
      return steps(
        `Start work on the ticket ${quoted(ticket_id)} in the ecosystem ${quoted(ecosystem)}.`,
        `See how things stand: amof_get_ecosystem_status(ecosystem=${
          quoted(ecosystem)
        }) and amof_ticket_list(ecosystem=${
          quoted(ecosystem)
        }). If repositories are dirty, tell me before anything else.`,
        `Bring the base branches up to date: amof_sync_ecosystem(ecosystem=${
          quoted(ecosystem)
        }, mode="execute"), and follow its run with amof_get_run_status.`,
        `If the ticket is listed already: amof_ticket_switch(${call}, mode="execute"). Otherwise amof_ticket_start(${call}${chosen}, mode="plan"), show me the branches, and when I agree the same with mode="execute".`,
        FOLLOW,
        "Tell me which branch each repository is on now.",
      );
    },
  },
  {
    name: "release",
    title: "Release",
    description: "Validate, preview and carry out the next release",
    arguments: [
      {
        name: "bump_type",
        description: "What the changes are: patch, minor or major",
        required: false,
        completed: ["patch", "minor", "major"],
      },
    ],
    tools: [
      "amof_release_status",
      "amof_release_validate",
      "amof_release_bump",
      "amof_release_promote",
      "amof_confirm",
      "amof_get_run_status",
      "amof_get_run_logs",
    ],
    text: ({ bump_type }) =>
      steps(
        "Prepare the next release.",
        "See the current version and stage: amof_release_status.",
        "Check that it may be released: amof_release_validate. Stop at errors and tell me how to fix them.",
        bump_type
          ? `Preview: amof_release_bump(bump_type=${
            quoted(bump_type)
          }, mode="plan"), or amof_release_promote(mode="plan") if a pre-release is to move on. Show me version, commits and files.`
          : 'Propose patch, minor or major from the commits since the last release, and preview it: amof_release_bump(bump_type=…, mode="plan"), or amof_release_promote(mode="plan") if a pre-release is to move on.',
        `When I agree: the same call with mode="execute". ${CONSENT}`,
        FOLLOW,
      ),
  },
  {
    name: "daily_status",
    title: "Daily status",
    description: "What is dirty, unpushed, running or failed, and what to do about it",
    arguments: [{ ...ECOSYSTEM, description: "Only this ecosystem", required: false }],
    tools: [
      "amof_list_ecosystems",
      "amof_get_ecosystem_status",
      "amof_ticket_list",
      "amof_get_active_runs",
      "amof_list_runs",
      "amof_summarize_run",
    ],
    text: ({ ecosystem }) => {
      const each = ecosystem
        ? `ecosystem=${quoted(ecosystem)}`
        : "ecosystem=… for each installed one";
      return steps(
        ecosystem
          ? `Give me the status of the ecosystem ${quoted(ecosystem)} for today. Change nothing.`
          : "Give me the status of all ecosystems for today. Change nothing.",
        ...(ecosystem ? [] : ["Find the ecosystems: amof_list_ecosystems."]),
        `Repositories: amof_get_ecosystem_status(${each}).`,
        `Tickets: amof_ticket_list(${each}).`,
        "Runs: amof_get_active_runs, then amof_list_runs for what ended lately; amof_summarize_run for each that failed.",
        "Answer with a short list: uncommitted changes, unpushed commits, repositories on the wrong branch, active tickets, failed runs. End with the one next step you would take.",
      );
    },
  },
];

function isOffered(door: Door, prompt: Prompt): boolean {
  return prompt.tools.every((tool) => offered(door, tool) !== null);
}

function find(door: Door, name: string): Prompt | null {
  return PROMPTS.find((prompt) => prompt.name === name && isOffered(door, prompt)) ?? null;
}

/** What completes an argument of a prompt; null when there is no such argument. */
export function promptArgument(door: Door, prompt: string, argument: string): Completed | null {
  return find(door, prompt)?.arguments.find(({ name }) => name === argument)?.completed ?? null;
}

/** Checks and cleans the arguments of a prompt: they end up in a text that a model reads. */
function read(
  prompt: Prompt,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const known = prompt.arguments.map(({ name }) => name);
  const wrong = Object.keys(given).find((name) => !known.includes(name));
  if (wrong !== undefined) {
    throw invalidParams(
      `The prompt ${prompt.name} has no argument "${cleanLine(wrong, 60)}"; it has ${
        known.join(", ")
      }`,
    );
  }
  const entries = prompt.arguments.map(({ name, required }) => {
    const value = Object.hasOwn(given, name) ? cleanLine(given[name] ?? "", 200) : "";
    if (required && value === "") {
      throw invalidParams(`The prompt ${prompt.name} needs the argument "${name}"`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

/** The prompts of a door. */
export function promptFeature(door: Door): PromptFeature {
  return {
    list: (revision) =>
      PROMPTS.filter((prompt) => isOffered(door, prompt)).map((prompt) => ({
        name: prompt.name,
        ...(isStructured(revision) ? { title: prompt.title } : {}),
        description: prompt.description,
        arguments: prompt.arguments.map(({ name, description, required }) => ({
          name,
          description,
          required,
        })),
      })),

    get(name, args) {
      const prompt = find(door, name);
      if (prompt === null) {
        const names = PROMPTS.filter((entry) => isOffered(door, entry)).map((entry) => entry.name);
        const near = didYouMean(name, names);
        throw invalidParams(
          `Unknown prompt: ${cleanLine(name, 100)}${
            near === null ? "" : `; did you mean ${near}?`
          }`,
        );
      }
      const text = prompt.text(read(prompt, args));
      return Promise.resolve({
        description: prompt.description,
        messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
      });
    },
  };
}
