/** The variables that a program gets which is started for somebody else than the person at the terminal. */

/** What is passed on if it is set (SPIN-5, EXEC-4, ENGINE-5); none of these holds a secret. */
export const USUAL_VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "AMOF_HOME",
];
