/**
 * The shape of `amof.yaml`, the settings a repository keeps in its root (RELEASE-6). Its JSON Schema is
 * published for editors.
 */

import type { ZodNamespace } from "../../contract/mod.ts";

/** The schema; unknown keys pass, they are reported as problems elsewhere. */
export function configSchema(z: ZodNamespace): ReturnType<typeof build> {
  return build(z);
}

function build(z: ZodNamespace) {
  const path = z.string().min(1, "must not be empty");
  return z.looseObject({
    release: z.looseObject({
      version_files: z.array(z.union([
        path.describe("package.json, deno.json, pyproject.toml, Cargo.toml or VERSION, anywhere"),
        z.looseObject({
          path: path.describe("The file, relative to the root of the repository"),
          pattern: z.string().min(1, "must not be empty").max(500).optional().describe(
            "A regular expression (RE2) with one group around the version; it must match once",
          ),
        }),
      ])).max(50).optional().describe(
        "Files that carry the version; those of the known names that exist at the root when absent",
      ),
      changelog: path.optional().describe("CHANGELOG.md when absent"),
      branches: z.array(z.string().min(1)).max(50).optional().describe(
        "Branches stable releases come from, * for any text; main, master and release/* when absent",
      ),
    }).optional().describe("How releases of the repository are made"),
  });
}
