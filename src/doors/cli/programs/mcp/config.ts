/** `amof mcp config HOST`: what to write into the configuration of an AI host (MCP-11). */

import { consentNote } from "../../../../commands/mcp/install.ts";
import { resolve } from "@std/path";
import { findRoot } from "../../../../commands/ecosystem/root.ts";
import { EXIT } from "../../../../base/error.ts";
import type { GlobalFlags } from "../../../../pipeline/line/flags.ts";
import { valueName } from "../../../../pipeline/line/parse.ts";
import { program } from "../../../../pipeline/line/program.ts";
import {
  consentFlags,
  documentOf,
  entryOf,
  factsOf,
  type Host,
  HOSTS,
  placesOf,
  startWords,
} from "../../../../machine/hosts/mod.ts";
import { list } from "../../../../base/text/words.ts";
import { OWN_TOOLS } from "../../../wings.ts";
import { selectionOf, serveInput } from "./selection.ts";

/** What a host is told besides: flags of `mcp serve`, and environment. */
interface HostExtras {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the server is called; amof when absent. */
  readonly name?: string;
  /** JSON also for a host whose configuration is TOML. */
  readonly json?: boolean;
}

/** The text for a host that starts `words` for the control repository `root`, where the server needs one. */
export async function hostConfig(
  host: Host,
  words: readonly string[],
  root: string | null,
  { flags = [], env = {}, name = "amof", json = false }: HostExtras = {},
): Promise<string> {
  const entry = entryOf(host, "amof", { words, root, flags, env }, null);
  return await documentOf(host, new Map([[name, entry]]), { json });
}

/** The flags of `mcp serve` that were given, with directories as absolute paths. */
function asFlags(
  global: GlobalFlags,
  options: Readonly<Record<string, string | boolean | undefined>>,
  cwd: string,
): string[] {
  const given = { ecosystem: global.ecosystem, mode: global.mode, ...options };
  return Object.entries(given).flatMap(([member, value]) => {
    const flag = `--${member.replaceAll("_", "-")}`;
    if (typeof value === "string") {
      return [flag, valueName(flag.slice(2), "string", []) === "DIR" ? resolve(cwd, value) : value];
    }
    return value === true ? [flag] : [];
  });
}

/** `amof mcp config`. */
export const mcpConfig = program({
  path: ["mcp", "config"],
  summary: "Print what to write into an AI host's configuration.",
  description:
    "Paths are absolute, because hosts start servers in unrelated directories. The flags of the server become part of the configuration. To have it written: amof mcp install HOST",
  positionals: ["host"],
  examples: [
    "mcp config claude-code",
    "mcp config codex --root ~/control",
    "mcp config cursor --read-only",
    ...OWN_TOOLS.map(({ toolset }) => `mcp config claude-code --toolsets ${toolset}`),
  ],
  input: (z) =>
    serveInput(z).extend({ host: z.enum(HOSTS).default("claude-code").describe("The host") }),
  async main({ app, flags }, { host, ...options }) {
    const { env, terminal } = app.system;
    // Wrong names of tools are reported now, because a host would only say that the server did not start.
    const { own, more } = await selectionOf(env, options);
    const root = own === null ? null : await findRoot(app.system, app.root, app.settings.root);
    const given = asFlags(flags, options, env.cwd);
    const server = own === null && more !== null ? more.tools.toolset : "amof";
    // What `mcp install` writes: the same entry, and the same answer to who agrees.
    const all = [...given, ...consentFlags(host, server, given)];
    const text = await hostConfig(host, await startWords(app.system), root, {
      name: server,
      flags: all,
      json: flags.json,
    });
    if (!flags.quiet && !flags.json) {
      const places = placesOf(host, env.cwd, env);
      const where = places.length === 0
        ? `the configuration of ${factsOf(host).title}`
        : list(places, "or");
      const consent = consentNote(host, server, all);
      terminal.err(
        `${consent === null ? "" : `${consent}\n`}Write this into ${where}:\n\n`,
      );
    }
    terminal.out(text);
    return EXIT.ok;
  },
});
