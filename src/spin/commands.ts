/**
 * Environments, made and removed by a provisioner of the control repository (SPIN-1 to SPIN-8): the commands of this
 * room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { spinDeploy } from "./deploy.ts";
export { spinDestroy } from "./destroy.ts";
export { spinStatus } from "./status.ts";
export { spinTrust } from "./trust.ts";
