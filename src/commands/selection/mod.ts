/** Which repositories a command is about: the one selection language of all commands. */

export {
  chosen,
  chosenAnywhere,
  type ChosenArea,
  clonesOf,
  foreseen,
  inAreas,
  inspectSelected,
  isSelecting,
  type MeantClone,
  noneStands,
  select,
  type Selecting,
  SELECTION_FLAGS,
  selectionInput,
  selectLooking,
} from "./selection.ts";
export { STATE_WORDS } from "./by_state.ts";
export { meansCurrent, namedRepos, namesThrough, namingCurrent, selectRepos } from "./words.ts";
