/**
 * The part of zod that schemas are written with.
 *
 * Importing the names one by one lets the bundler leave out the rest, above all the translations, which
 * are larger than everything that is used. Loaded only when arguments are read.
 *
 * @module
 */

import {
  array,
  boolean,
  config,
  enum as enum_,
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

/** The namespace that `input` functions receive. */
export const z = {
  array,
  boolean,
  enum: enum_,
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
};
