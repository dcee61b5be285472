/**
 * Where the repository lies.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";

/** The root of the repository, with a slash behind it. */
export const ROOT = fromFileUrl(new URL("../../", import.meta.url));
