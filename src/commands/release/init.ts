/** `amof release init`: makes the first version of a repository out of what is there (RELEASE-7). */

import { AmofError } from "../../base/error.ts";
import { mutation } from "../../contract/mod.ts";
import { releaseIrreversible, renderRelease } from "./answer.ts";
import { execute, preview, releaseOptions } from "./command.ts";
import type { Wish } from "./make_release.ts";

interface InitInput {
  readonly version?: string | undefined;
  readonly push: boolean;
  readonly allow_no_touch?: readonly string[] | undefined;
}

/** The version of a repository that never had a release and whose files name none. */
const FIRST = "0.1.0";

async function wish(input: InitInput): Promise<Wish> {
  const { firstVersion } = await import("./ladder.ts");
  return {
    allowed: input.allow_no_touch ?? [],
    order(_ctx, standing) {
      if (standing.current !== null) {
        throw new AmofError(
          "invalid_transition",
          `Cannot make a first release: there is ${standing.current.tag}`,
          { hint: "Go on from it: amof release status", details: { tag: standing.current.tag } },
        );
      }
      const [named, other] = new Set(
        standing.versionFiles.map((file) => file.version).filter((version) => version !== null),
      );
      const given = input.version ?? (other === undefined ? named : undefined) ?? FIRST;
      const hint = "Name one, such as 0.1.0-alpha.1: amof release init 0.1.0";
      const next = firstVersion(given, "version", hint);
      return {
        action: "init",
        part: null,
        next,
        message: null,
        push: input.push,
        strict: false,
        mayBeEmpty: true,
        expectedBranch: null,
      };
    },
  };
}

/** `amof release init`. */
export const releaseInit = mutation({
  name: "amof_release_init",
  path: ["release", "init"],
  toolset: "release",
  mcp: "asked for",
  scope: "release",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "release", will: "make the first version" },
  runs: "release_init",
  locks: "ecosystem",
  openWorld: true,
  title: "First release",
  summary: "Tag what is there as the first version; version files are brought to it.",
  positionals: ["version"],
  examples: ["release init", "release init 1.0.0 --no-push"],
  input: (z) => ({
    version: z.string().optional().describe(
      "The version; that of the version files when absent, else 0.1.0",
    ),
    push: releaseOptions(z, "tag").push,
    allow_no_touch: releaseOptions(z, "tag").allow_no_touch,
  }),
  preview: async (ctx, input) => await preview(ctx, await wish(input), input.push),
  undo: {
    irreversible: releaseIrreversible,
  },
  execute: async (ctx, input, facts) => await execute(ctx, await wish(input), facts),
  render: renderRelease,
});
