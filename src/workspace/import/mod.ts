/** Lists of repositories of other tools, read into repositories of a manifest. */

export {
  type Imported,
  lastName,
  type Listed,
  listed,
  type Source,
  type Superproject,
} from "./imported.ts";
export { IMPORTERS, kindOfList, kindsThatFit, LIST_KINDS, type ListKind } from "./kinds.ts";
export { yamlOf } from "./yaml.ts";
