/**
 * `remote set` and `sync` (PACK-54).
 *
 * @module
 */

import { remoteSet, sync as syncOf } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { argument, flag, text } from "./option.ts";
import { lines, shownPath } from "./show.ts";

/** `remote set`. */
export const remote = declare({
  path: ["remote", "set"],
  summary: "Say where the config repo is shared.",
  options: {
    url: argument({ help: "The URL of a git repository" }),
    name: text({ help: "The remote (origin)", value: "NAME" }),
  },
  examples: ["remote set git@git.example.org:team/agentpack.git"],
  changes: () => ({ id: "remote set", asks: "first" }),
  run: ({ pack, selection }, { url, name }) =>
    remoteSet(pack, selection, { url, name: name ?? "origin" }),
  render: ({ data }) => `${data.remote} is ${shownPath(data.url)}`,
});

/** `sync`. */
export const sync = declare({
  path: ["sync"],
  summary: "Pull the config repo's branch, then push it.",
  options: {
    rebase: flag({ help: "Put own commits on top instead of fast-forwarding only" }),
    remote: text({ help: "The remote (origin)", value: "NAME" }),
  },
  examples: ["sync", "sync --rebase --yes --json"],
  changes: () => ({ id: "sync", asks: "first" }),
  run: ({ pack, selection }, { rebase, remote }) =>
    syncOf(pack, selection, { rebase, remote: remote ?? "origin" }),
  render: ({ data }) =>
    data.commands.length === 0 ? `${data.branch} is in sync` : lines(data.commands),
});
