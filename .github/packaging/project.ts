/**
 * What is said of the project wherever it is packaged.
 *
 * @module
 */

import { REPOSITORY, VERSION } from "../../src/base/version.ts";

/** Owner and name of the repository that releases are made of; the release refuses to run in another one. */
export const SLUG = REPOSITORY;

/** What the packages say of the project. */
export const PROJECT = {
  name: "amof",
  version: VERSION,
  title: "Operate many git repositories as one, safely: command line and MCP server",
  /** At most 100 characters, the longest that the MCP registry takes. */
  short:
    "Operate many git repositories as one: preview, consent, journal; tickets and releases across repos",
  homepage: `https://github.com/${SLUG}`,
  author: "the amof authors",
  maintainer: "the amof authors <amof@users.noreply.github.com>",
  license: "MIT",
  keywords: ["git", "multi-repo", "mcp", "workspace", "release"],
} as const;

/** Where a file of a release is downloaded. */
export function releaseUrl(file: string): string {
  return `${PROJECT.homepage}/releases/download/v${PROJECT.version}/${file}`;
}
