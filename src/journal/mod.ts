/**
 * Mutations as lists of steps.
 *
 * @module
 */

export { runSteps, type Step } from "./steps.ts";
