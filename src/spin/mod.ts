/**
 * Environments: made and removed by a provisioner of the control repository (SPIN-1 to SPIN-8).
 *
 * @module
 */

export { spinDeploy } from "./deploy.ts";
export { spinDestroy } from "./destroy.ts";
export { spinStatus } from "./status.ts";
export { spinTrust } from "./trust.ts";
