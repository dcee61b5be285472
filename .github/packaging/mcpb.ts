/**
 * The bundle that desktop hosts install: the program with a manifest that says how it is started.
 *
 * @module
 */

import { join } from "@std/path";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import type { Release } from "./contents.ts";
import { PROJECT } from "./project.ts";
import type { Target } from "./targets.ts";
import { emptied, json, run, setTimes, stage } from "./tools.ts";

/** The name of a target's bundle. */
export function bundleName(target: Target): string {
  return `amof-${PROJECT.version}-${target.name}.mcpb`;
}

/** What a person is asked when the bundle is installed, and the variable that it becomes. */
const ASKED = {
  root: {
    variable: "AMOF_ROOT",
    type: "directory",
    title: "Control repository",
    description: "The directory that holds ecosystems/",
    required: true,
  },
  max_mode: {
    variable: "AMOF_MAX_MODE",
    type: "string",
    title: "Highest mode",
    description: "ask, plan or execute",
    default: "execute",
    required: false,
  },
  read_only: {
    variable: "AMOF_READ_ONLY",
    type: "boolean",
    title: "Read only",
    description: "Offer only tools that change nothing",
    default: false,
    required: false,
  },
  confirm: {
    variable: "AMOF_CONFIRM",
    type: "string",
    title: "Confirmation",
    description:
      "token: the host asks you; human: every change waits until you approve it in a terminal",
    default: "token",
    required: false,
  },
} as const;

/** The manifest of a target's bundle. */
export function bundleManifest(target: Target): Record<string, unknown> {
  const entryPoint = `server/${target.program}`;
  const offered = COMMANDS.filter((command) => command.mcp === undefined);
  return {
    manifest_version: "0.3",
    name: PROJECT.name,
    display_name: PROJECT.name,
    version: PROJECT.version,
    description: PROJECT.short,
    author: { name: PROJECT.author, url: PROJECT.homepage },
    repository: { type: "git", url: PROJECT.homepage },
    license: PROJECT.license,
    keywords: PROJECT.keywords,
    icon: "icon.png",
    server: {
      type: "binary",
      entry_point: entryPoint,
      mcp_config: {
        command: `\${__dirname}/${entryPoint}`,
        args: ["mcp", "serve"],
        env: Object.fromEntries(
          Object.entries(ASKED).map((
            [name, { variable }],
          ) => [variable, `\${user_config.${name}}`]),
        ),
      },
    },
    tools: offered.map(({ name, summary }) => ({ name, description: summary })),
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: [target.os] },
    user_config: Object.fromEntries(
      Object.entries(ASKED).map(([name, { variable: _, ...asked }]) => [name, asked]),
    ),
  };
}

/** The icon, which lies where the manifest of the plugin of Claude Code has to have it. */
const ICON = "manifests/claude/plugins/amof/icon.png";

/** Makes the bundle; the same files give the same bytes. Answers its name. */
export async function makeBundle(release: Release): Promise<string> {
  const { target } = release;
  const directory = await emptied(join(release.work, "mcpb"));
  const server = `server/${target.program}`;
  await stage(directory, [
    { path: "manifest.json", text: json(bundleManifest(target)) },
    { path: server, from: release.program, run: true },
    { path: "icon.png", from: new URL(`./${ICON}`, import.meta.url).pathname },
    { path: "LICENSE", text: release.license },
    { path: "THIRD_PARTY_NOTICES", text: release.notices },
  ]);
  await setTimes(directory, release.epoch);
  const name = bundleName(target);
  const files = ["manifest.json", server, "icon.png", "LICENSE", "THIRD_PARTY_NOTICES"];
  const output = join(release.output, name);
  await Deno.remove(output).catch(() => {});
  await run("zip", ["-qX", "-9", output, ...files], { cwd: directory, env: { TZ: "UTC" } });
  return name;
}
