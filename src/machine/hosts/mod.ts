/** AI hosts that start amof: their files, the entries in them, and what is wrong with these. */

export {
  checkEntries,
  consentFlags,
  entryOf,
  hasOwnConsent,
  serveFlags,
  type Server,
  SERVERS,
  startWords,
} from "./check.ts";
export {
  backupPath,
  documentOf,
  type HostChange,
  planChange,
  readHostFile,
  textHash,
  writeChange,
} from "./edit.ts";
export {
  consentBy,
  factsOf,
  type Host,
  HOST_SCOPES,
  HOSTS,
  placesOf,
  projectFile,
  readAs,
  sharedRoot,
  userFile,
} from "./host.ts";
