/**
 * All cases, for what must hold of every answer.
 *
 * @module
 */

import { AFTER_CAMPAIGN } from "./after_campaign.ts";
import { AFTER_CHANGE } from "./after_change.ts";
import { AFTER_RELEASE } from "./after_release.ts";
import { AFTER_RUN } from "./after_run.ts";
import { AFTER_STATUS } from "./after_status.ts";
import { FINISHED } from "./finished.ts";
import { OTHERS } from "./others.ts";
import { OUTCOMES } from "./outcomes.ts";
import { RECOVERY } from "./recovery.ts";

/** Every case of every rule. */
export const CASES = [
  ...FINISHED,
  ...RECOVERY,
  ...OUTCOMES,
  ...AFTER_STATUS,
  ...AFTER_RUN,
  ...AFTER_CAMPAIGN,
  ...AFTER_CHANGE,
  ...AFTER_RELEASE,
  ...OTHERS,
];
