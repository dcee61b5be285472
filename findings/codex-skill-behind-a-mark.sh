#!/usr/bin/env bash
# codex 0.171.0: a skill whose SKILL.md begins with a byte order mark, as editors on Windows write it, is not loaded. It
# is in no list of skills that the model sees, and neither `codex debug prompt-input` nor standard error says so. The
# same file without its first three bytes is there. gemini-cli 0.61.0 does the same; copilot-cli 1.0.102 takes both.
#
# Seen:
#   with a mark: nothing
#   without: tidy: Sorts imports
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @openai/codex@0.171.0 >/dev/null
skill="$place/home/.codex/skills/tidy"
mkdir -p "$skill" work
told() {
  local said
  said=$(cd work && HOME="$place/home" ../node_modules/.bin/codex debug prompt-input hello 2>"$place/errors" |
    grep -o 'tidy: Sorts imports' | head -n 1 || true)
  grep -q tidy "$place/errors" && said="$said, told on standard error"
  echo "${said:-nothing}"
}
text='---\nname: tidy\ndescription: Sorts imports\n---\nText\n'
{
  printf "\xef\xbb\xbf$text" >"$skill/SKILL.md"
  echo "with a mark: $(told)"
  printf -- "$text" >"$skill/SKILL.md"
  echo "without: $(told)"
} >seen
cat seen
diff seen - <<'END'
with a mark: nothing
without: tidy: Sorts imports
END
