// Breaks undo at its changes: most of them move one file of a repository into its place.

import { breakEach } from "./every_change.ts";

breakEach([["undo", "inline", 10, "before", 3]]);
