/** Git hosts that a person has told the limits of in the user file: how much amof may ask of them (PLAN-4). */

import { isObject } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";

/** What one host takes; what is absent is as amof knows it. */
export interface HostSetting {
  /** Connections at once. */
  readonly concurrent?: number;
  /** Requests in a minute. */
  readonly per_minute?: number;
}

/** What hosts are called: as in addresses, without a port. */
const HOST_NAME: RegExp = /^(?:\[[0-9a-f:]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/;

/** The largest value of each member; the smallest is 1. */
const MOST: Readonly<Record<string, number>> = {
  concurrent: 1_000,
  per_minute: 1_000_000,
};

/** What is wrong with one host of the user file, or null. */
export function hostProblem(
  called: string,
  value: unknown,
): { readonly member: string | null; readonly message: string } | null {
  if (!HOST_NAME.test(called)) {
    return {
      member: null,
      message: "must be a host as addresses have it, in lower case and without a port",
    };
  }
  if (!isObject(value)) {
    const shown = cleanLine(JSON.stringify(value) ?? "", 60);
    return { member: null, message: `must be a host with its limits, not ${shown}` };
  }
  for (const [member, content] of Object.entries(value)) {
    const most = Object.hasOwn(MOST, member) ? MOST[member] : undefined;
    if (most === undefined) {
      const near = didYouMean(member, Object.keys(MOST));
      return {
        member,
        message: near === null ? "there is no such member" : `did you mean "${near}"?`,
      };
    }
    if (!Number.isInteger(content) || Number(content) < 1 || Number(content) > most) {
      const shown = cleanLine(JSON.stringify(content) ?? "", 60);
      return { member, message: `must be a whole number from 1 to ${most}, not ${shown}` };
    }
  }
  return null;
}

/** The members in JSON Schema, for editors. */
export function hostsSchema(): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    propertyNames: { pattern: HOST_NAME.source },
    additionalProperties: {
      type: "object",
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(MOST).map(([member, maximum]) => [
          member,
          { type: "integer", minimum: 1, maximum },
        ]),
      ),
    },
  };
}
