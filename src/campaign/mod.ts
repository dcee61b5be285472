/**
 * Campaigns: one change over many repositories, whose commits come home, are approved by shape, and pushed.
 *
 * @module
 */

export { campaignsOf } from "./plan.ts";
