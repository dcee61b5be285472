/**
 * Tells of most configurations that their shape is right, without the library that explains what is wrong with others:
 * loading it takes longer than a thousand modules.
 *
 * @module
 */

import { isObject } from "../../../base/object.ts";
import { MODULE_TYPES, SCOPES } from "../names.ts";
import type { RawConfig } from "./schema.ts";

/** Whether a member is absent, or what it may be. */
function isMaybe(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || is(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isMapOf(is: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => isObject(value) && Object.values(value).every(is);
}

function isProfile(value: unknown): boolean {
  return isMaybe(value, (profile) =>
    isObject(profile) &&
    [profile["include_tags"], profile["include_modules"], profile["exclude_modules"]]
      .every((texts) => isMaybe(texts, areTexts)));
}

function isTarget(value: unknown): boolean {
  return isObject(value) && value["mode"] === "files" &&
    SCOPES.some((scope) => scope === value["scope"]) && isMaybe(value["options"], isObject);
}

function isSource(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { local_path: local, git } = value;
  return isMaybe(local, (local) => isObject(local) && isText(local["path"])) &&
    isMaybe(git, (git) =>
      isObject(git) && isText(git["url"]) && isMaybe(git["ref"], isText) &&
      isMaybe(git["subdir"], isText) && isMaybe(git["shallow"], isFlag));
}

function isModule(value: unknown): boolean {
  return isObject(value) && isText(value["id"]) &&
    MODULE_TYPES.some((type) => type === value["type"]) && isMaybe(value["enabled"], isFlag) &&
    isMaybe(value["tags"], areTexts) && isMaybe(value["targets"], areTexts) &&
    isSource(value["source"]) && isMaybe(value["metadata"], isObject);
}

/** Whether a document has the shape of a configuration; false says nothing but that the schema has to be asked. */
export function isPlainConfig(document: unknown): document is RawConfig {
  return isObject(document) && document["version"] === 1 &&
    isMaybe(document["profiles"], isMapOf(isProfile)) &&
    isMaybe(document["targets"], isMapOf(isTarget)) &&
    isMaybe(document["modules"], (modules) => Array.isArray(modules) && modules.every(isModule));
}
