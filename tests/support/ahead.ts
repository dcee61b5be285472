/**
 * The world of most tests about pushing.
 *
 * @module
 */

import { World } from "./world.ts";

/** Makes an installed world whose one repository, `api`, has a commit to push on a feature branch. */
export function ahead(): Promise<World> {
  return World.common("ahead", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    await world.commitOnFeature("api");
  });
}
