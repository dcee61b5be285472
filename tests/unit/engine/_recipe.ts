/**
 * The array that the recipe for Kubernetes shows.
 *
 * @module
 */

import { profileOf, type Submission } from "../../../src/engine/port.ts";

/** What is submitted there. */
export const RECIPE: Submission = {
  run: "00000000-0000-4000-8000-000000000000",
  profile: profileOf({
    engines: {
      cluster: {
        kind: "kubernetes",
        image: "amof:VERSION",
        namespace: "amof",
        secret: "git",
        memory: 2_048,
        parallel: 20,
      },
    },
  }, "cluster"),
  plan: { path: "/nowhere", sha256: "0".repeat(64) },
  key: "1".repeat(64),
  shards: 80,
  directory: "/nowhere",
};
