/**
 * Environments: made and removed by a provisioner of the control repository (amof.md §2.10).
 *
 * @module
 */

export { spinDeploy } from "./deploy.ts";
export { spinDestroy } from "./destroy.ts";
export { spinStatus } from "./status.ts";
export { spinTrust } from "./trust.ts";
