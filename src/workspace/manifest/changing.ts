/** Edits of manifests; for whoever only reads them there is mod.ts. */

export { type EditFacts, editFacts, editManifest, editStep, type ManifestEdit } from "./change.ts";
export {
  askBranches,
  type AskedBranch,
  askedLines,
  writeBranch,
  writeBranches,
  wroteBranches,
} from "./asked.ts";
