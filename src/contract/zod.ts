/**
 * The part of zod that schemas are written with: the namespace that `input` functions receive.
 *
 * Naming them one by one lets the bundler leave out the rest, above all the translations, which
 * are larger than everything that is used. Loaded only when arguments are read.
 */

import { config } from "zod";

export {
  array,
  boolean,
  enum,
  int,
  literal,
  looseObject,
  number,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  unknown,
  uuid,
} from "zod";

// Compiling a checker pays off after many thousand values; a command checks a few.
config({ jitless: true });
