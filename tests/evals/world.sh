# Makes the world of a task: three remotes with a commit each, and the ecosystem shop, installed.
. "$AMOF_EVALS/places.sh"

export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com

# commit DIRECTORY SUBJECT: a file with the subject in it, committed
commit() {
  echo "$2" >> "$1/notes.txt"
  git -C "$1" add notes.txt
  git -C "$1" commit --quiet --message "$2"
}
# colleague REPO SUBJECT: somebody else pushes to main
colleague() {
  git -C "$SEED/$1" pull --quiet --ff-only
  commit "$SEED/$1" "$2"
  git -C "$SEED/$1" push --quiet origin main
}

mkdir -p "$AMOF_ROOT" "$AMOF_HOME" "$REMOTES" "$SEED"
# A task that makes another world says which repositories it has.
for repo in ${SHOP_REPOS:-api web docs}; do
  git init --quiet --bare --initial-branch main "$REMOTES/$repo.git"
  git init --quiet --initial-branch main "$SEED/$repo"
  git -C "$SEED/$repo" remote add origin "file://$REMOTES/$repo.git"
  commit "$SEED/$repo" "Begin"
  git -C "$SEED/$repo" push --quiet --set-upstream origin main
done
git init --quiet --initial-branch main "$AMOF_ROOT"
cd "$AMOF_ROOT"
amof ecosystem create shop --commit --yes --quiet \
  --repo "api=file://$REMOTES/api.git@main" \
  --repo "web=file://$REMOTES/web.git@main" \
  --repo "docs=file://$REMOTES/docs.git@main" > /dev/null
amof install --yes --quiet > /dev/null
for repo in api web docs; do
  git -C "$REPOS/$repo" config user.name Ada
  git -C "$REPOS/$repo" config user.email ada@example.com
done
