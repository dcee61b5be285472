# Where everything of a task lies; read by every script of one.
# AMOF_EVAL_DIR is an empty directory of its own, AMOF_EVALS the directory of this file.
set -eu
: "${AMOF_EVAL_DIR:?name an empty directory}" "${AMOF_EVALS:?name the directory of places.sh}"
export AMOF_ROOT="$AMOF_EVAL_DIR/control" AMOF_HOME="$AMOF_EVAL_DIR/home"
REMOTES="$AMOF_EVAL_DIR/remotes"
REPOS="$AMOF_ROOT/worktrees/shop/repos"
SEED="$AMOF_EVAL_DIR/seed"

# subject REPO REF: the subject of the newest commit that a remote has there
subject() { git -C "$REMOTES/$1.git" log -1 --format=%s "$2"; }
# branch REPO: what is checked out in the clone
branch() { git -C "$REPOS/$1" branch --show-current; }
