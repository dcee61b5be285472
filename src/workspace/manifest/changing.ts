/** Edits of manifests; for whoever only reads them there is mod.ts. */

export {
  askBranches,
  type AskedBranch,
  askedLines,
  type EditFacts,
  editFacts,
  editManifest,
  editStep,
  type ManifestEdit,
  writeBranches,
  wroteBranches,
} from "./asked.ts";
