/** Help on what is the same for all commands: `amof help TOPIC`. */

import { columns } from "../../base/text/table.ts";
import { GLOBAL_FLAGS } from "../../pipeline/line/flags.ts";
import { flagRow } from "./help_page.ts";

interface Topic {
  readonly summary: string;
  /** What it says; a function where that takes loading more of the program. */
  readonly text: string | (() => Promise<string>);
}

/** The exit codes, each with what it says. */
export const EXIT_CODES: readonly (readonly [string, string])[] = [
  ["0", "done"],
  ["1", "failed"],
  ["2", "wrong usage, or input that is not valid"],
  ["3", "a check found something (--check, validate)"],
  ["4", "refused: not confirmed, declined, no longer as previewed, or the mode is too low"],
  ["5", "partly done: some repositories failed"],
  ["6", "busy: another run works on the ecosystem"],
  ["124", "timed out"],
  ["130", "interrupted"],
];

/** The environment variables that count. */
export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ["AMOF_ROOT", "the control repository, as --root"],
  ["AMOF_HOME", "where the state is kept, instead of the XDG directories"],
  ["AMOF_CONFIG", "the user file, as an absolute path"],
  ["AMOF_JOBS", "how many repositories are worked on at once, as --jobs"],
  ["AMOF_COLOR", "auto, always or never, as --color"],
  ["AMOF_NEXT_STEPS", "on or off: whether answers name what could follow"],
  ["AMOF_ENGINE", "the engine that --shards means (setting engine)"],
  ["AMOF_EDITOR", "the editor, before what git would open"],
  ["AMOF_PAGER", "the pager, or off"],
  ["AMOF_TIMEOUT", "seconds one transfer may take, as --timeout"],
  ["AMOF_ECOSYSTEM", "the ecosystem a server begins in (amof mcp serve)"],
  ["AMOF_TICKET", "the ticket in whose own workspace a command works, as --ticket"],
  ["AMOF_MODE", "the mode a server begins in"],
  ["AMOF_MAX_MODE", "the highest mode a server allows"],
  ["AMOF_READ_ONLY", "whether a server leaves out everything that changes something"],
  ["AMOF_TOOLSETS", "the groups of tools a server offers"],
  ["AMOF_TOOLS", "tools a server offers besides, or alone"],
  ["AMOF_EXCLUDE_TOOLS", "tools a server never offers"],
  ["AMOF_CONFIRM", "human: every confirmation of a server waits for amof approve"],
  ["AMOF_ELICITATION", "off: a server asks by no form, also where the host declares them"],
  ["AMOF_STALL_TIMEOUT", "seconds without progress after which a transfer is given up"],
  ["AMOF_VERDICTS", "on or off: whether git is not asked again where nothing has changed"],
  ["AMOF_NOTIFY", "on or off: whether you are told that something waits for you"],
  ["AMOF_UNDO", "on or off: whether what runs did is kept, so that it can be undone"],
  ["AMOF_PATH", "where programs are looked for when PATH leads to no git"],
  ["CI", "set and not false: nobody is asked"],
  ["NO_COLOR", "set: no colours, as --color never"],
];

/** The topics by name. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  flags: {
    summary: "The flags that every command has",
    text: columns(GLOBAL_FLAGS.map(flagRow)),
  },
  "exit-codes": {
    summary: "What the exit code of a command says",
    text: columns(EXIT_CODES),
  },
  modes: {
    summary: "ask, plan and execute",
    text: [
      columns([
        [
          "ask",
          "explains what the command would do, how things stand, and what else could be done",
        ],
        [
          "plan",
          "previews: everything that would happen, nothing of it done; the same as --dry-run",
        ],
        ["execute", "acts, once what needs a confirmation has one"],
      ]),
      "",
      "On the command line the mode is execute unless --mode says otherwise. A server for AI hosts begins in ask; --mode, --max-mode and --read-only of amof mcp serve decide what it may do.",
    ].join("\n"),
  },
  selection: {
    summary: "Which repositories a command works on",
    async text() {
      const { STATE_WORDS } = await import("../../commands/selection/mod.ts");
      return [
        columns([
          ["--repo api,'svc-*'", "by name; * stands for any characters, ? for one"],
          ["--repo .", "the one you stand in"],
          ["--tag backend,shop", "by tag (repos[].tags) or group (groups) of the manifest"],
          ["--only dirty,ahead", "by how they stand"],
        ]),
        "",
        "Several words of one flag join, several flags narrow down, and ! excludes: --repo '!web' is all but web. The order is that of the manifest. Words for --only:",
        "",
        columns(STATE_WORDS),
        "",
        "A name or tag that fits no repository is refused, also behind an exclamation mark.",
      ].join("\n");
    },
  },
  environment: {
    summary: "The environment variables that count",
    text: columns(ENVIRONMENT),
  },
  json: {
    summary: "Output for programs",
    text: [
      "With --json standard output is exactly one JSON object on one line, also on failure, and standard error is empty. Nobody is asked. Members that every answer has:",
      "",
      columns([
        ["summary", "one sentence"],
        ["_context", "scope, ecosystem, mode, session and time of the answer"],
        ["suggested_actions", "what can follow: tool and arguments, best first"],
      ]),
      "",
      "A failure has these besides, and an exit code other than 0:",
      "",
      columns([
        ["error", "the code of the failure; codes do not change"],
        ["message", "what was tried and what was found"],
        ["hint", "what to do next"],
        ["details", "facts about it, where there are any"],
      ]),
      "",
      "--json=summary,repos.name prints only these fields, --jq EXPR what jq makes of the object, texts as they are: amof status --jq '.repos[].name'.",
      "",
      "Times are in UTC. What a command adds is in amof schema and in its own help.",
    ].join("\n"),
  },
  confirmation: {
    summary: "How a command is consented to",
    text: [
      "What commits, pushes, installs, deletes, moves, releases or deploys shows what would happen and asks. Not asked for are sync, lock, repo add, ticket start, switch, add and update, a ticket end that keeps the branches, and exec, run and server, which do what you typed. Your answer is bound to that preview: if anything changes meanwhile, nothing is done and you are told what changed.",
      "",
      columns([
        ["at a terminal", "you are asked: y, or the name where something would be deleted"],
        ["--yes, -y", "you have consented"],
        ["--confirm-name NAME", "you have consented to what asks for the name"],
        ["otherwise", "with --json or --no-input, in CI, in a pipe: exit code 4 and a token"],
      ]),
      "",
      "A token is worth exactly what was previewed, once, for five minutes:",
      "",
      columns([
        ["amof confirm TOKEN", "carry it out"],
        ["amof confirm --cancel TOKEN", "give it up"],
        ["amof scope", "see what waits"],
        [
          "amof approvals",
          "see what programs wait for, which amof approve ID and amof deny ID decide",
        ],
      ]),
    ].join("\n"),
  },
};

/** The page of a topic, or null when there is none of that name. */
export async function topicHelp(name: string): Promise<string | null> {
  const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  if (topic === undefined) return null;
  const text = typeof topic.text === "string" ? topic.text : await topic.text();
  return `${topic.summary}\n\n${text}\n`;
}

/** The topics as rows of the overview. */
export const TOPIC_ROWS: readonly (readonly [string, string])[] = Object.entries(TOPICS)
  .map(([name, { summary }]) => [`help ${name}`, summary]);
