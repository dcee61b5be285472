/** Which repositories a command is about: the one selection language of all commands. */

export {
  chosen,
  chosenAnywhere,
  type ChosenArea,
  clonesOf,
  inAreas,
  type MeantClone,
} from "./chosen.ts";
export {
  foreseen,
  inspectSelected,
  isSelecting,
  noneStands,
  select,
  type Selecting,
  SELECTION_FLAGS,
  selectionInput,
  selectLooking,
} from "./selection.ts";
export { STANDING_WORDS } from "./standing.ts";
export { namedHere, namesThrough, saysHere, selectRepos } from "./words.ts";
