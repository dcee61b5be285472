/**
 * What is suggested after an answer about a run (NEXT-5, row 7).
 *
 * @module
 */

import { testCases } from "../_support.ts";
import { AFTER_RUN } from "../cases/after_run.ts";

testCases(AFTER_RUN);
