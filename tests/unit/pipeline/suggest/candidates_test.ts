/**
 * What is suggested after every other call, row by row (NEXT-5).
 *
 * @module
 */

import { testCases } from "./_support.ts";
import { FINISHED } from "./cases/finished.ts";
import { OTHERS } from "./cases/others.ts";
import { OUTCOMES } from "./cases/outcomes.ts";

testCases([...FINISHED, ...OUTCOMES, ...OTHERS]);
