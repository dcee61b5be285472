#!/bin/sh
# Installs amof for one user, without root: downloads the archive of a release, verifies who signed its sums and that
# its sum is theirs, tries the program, and only then puts it in its place.
#
#   install.sh [--uninstall] [--help]
#
# AMOF_VERSION      a version such as 0.1.0; else the latest
# AMOF_INSTALL_DIR  where the programs go; else ~/.local/bin
set -eu

REPOSITORY=@REPOSITORY@
# The key that releases are signed with. It stands here, and not beside what it verifies.
PUBLIC_KEY=@PUBLIC_KEY@
# Before these 32 bytes of the key stands what they are, for OpenSSL.
KEY_HEAD='\060\052\060\005\006\003\053\145\160\003\041\000'

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# Where releases lie; tests have them elsewhere.
base() { printf '%s' "${AMOF_RELEASES:-$REPOSITORY/releases}"; }

fetch() { # URL FILE
  if has curl; then
    curl --fail --silent --show-error --location --proto '=https,http' --output "$2" "$1"
  elif has wget; then
    wget --quiet --output-document="$2" "$1"
  else
    fail "neither curl nor wget is installed" "Install one of them"
  fi || fail "cannot download $1"
}

target() {
  os=$(uname -s) cpu=$(uname -m)
  case $os in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "there is no program for $os here" "On Windows use the zip of the release, Scoop, winget or npm" ;;
  esac
  case $cpu in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no program for processors of the kind $cpu" ;;
  esac
  printf '%s-%s' "$os" "$cpu"
}

decoded() { # the bytes of a base64 text on standard input
  if base64 -d </dev/null >/dev/null 2>&1; then base64 -d; else base64 -D; fi
}

bytes() { # FILE FIRST LAST: the bytes from the first to the last, counted from 1
  tail -c "+$2" "$1" | head -c "$(($3 - $2 + 1))"
}

verified_by_openssl() { # FILE; the signature is beside it
  printf '%s' "$PUBLIC_KEY" | decoded >key.raw
  sed -n 2p "$1.minisig" | decoded >signature.raw
  sed -n 4p "$1.minisig" | decoded >global
  # Which key, and that the file's hash is what was signed.
  [ "$(bytes key.raw 3 10 | od -An -tx1)" = "$(bytes signature.raw 3 10 | od -An -tx1)" ] || return 1
  [ "$(bytes signature.raw 1 2)" = ED ] || return 1
  # shellcheck disable=SC2059
  { printf "$KEY_HEAD"; bytes key.raw 11 42; } >key.der
  bytes signature.raw 11 74 >signature
  openssl dgst -blake2b512 -binary -out digest "$1"
  { cat signature; sed -n '3s/^trusted comment: //p' "$1.minisig" | tr -d '\n'; } >commented
  openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in digest -sigfile signature >/dev/null 2>&1 &&
    openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in commented -sigfile global >/dev/null 2>&1
}

# Whether OpenSSL can verify these signatures: LibreSSL and versions before 3 cannot.
openssl_can() { has openssl && case $(openssl version) in "OpenSSL "[3-9]*) ;; *) false ;; esac; }

verify() { # FILE VERSION
  if has minisign; then
    minisign -V -q -P "$PUBLIC_KEY" -m "$1" >/dev/null 2>&1 || fail "the signature of $1 is not that of amof's releases" "Nothing was installed. Try again; if it stays so, tell the project"
  elif openssl_can; then
    verified_by_openssl "$1" || fail "the signature of $1 is not that of amof's releases" "Nothing was installed. Try again; if it stays so, tell the project"
  else
    fail "nothing here can verify the signature of the download" "Install minisign, or OpenSSL 3 or newer"
  fi
  # An older release is signed, too; its comment says which one it is.
  [ "$(sed -n '3s/^trusted comment: //p' "$1.minisig")" = "amof v$2" ] ||
    fail "what was downloaded is another version than $2" "Nothing was installed"
}

sum_of() {
  if has sha256sum; then sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else fail "nothing here can compute a SHA-256 sum" "Install coreutils, or OpenSSL"
  fi
}

latest() {
  fetch "$(base)/latest/download/VERSION" VERSION
  head -n 1 VERSION
}

uninstall() {
  found=
  for name in amof agentpack; do
    [ -e "$directory/$name" ] || [ -L "$directory/$name" ] || continue
    rm -f "$directory/$name"
    found=1
    say "Removed $directory/$name"
  done
  [ -n "$found" ] || fail "there is no amof in $directory" "Name the place: AMOF_INSTALL_DIR=DIR"
  say "What amof keeps of its own stays: its settings, runs and mirrors (amof config path tells where)."
}

install() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  cd "$work"
  version=${AMOF_VERSION:-}
  version=${version#v}
  [ -n "$version" ] || version=$(latest)
  case $version in
    '' | *[!0-9A-Za-z.-]*) fail "there is no version $version" ;;
  esac
  name=amof-$version-$(target)
  from=$(base)/download/v$version
  say "Downloading $name"
  fetch "$from/SHA256SUMS" SHA256SUMS
  fetch "$from/SHA256SUMS.minisig" SHA256SUMS.minisig
  verify SHA256SUMS "$version"
  fetch "$from/$name.tar.gz" archive.tar.gz
  wanted=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' SHA256SUMS)
  [ -n "$wanted" ] || fail "the release has no $name.tar.gz"
  [ "$(sum_of archive.tar.gz)" = "$wanted" ] || fail "the sum of $name.tar.gz is not the one that was signed" "Nothing was installed. Try again"
  tar -xzf archive.tar.gz "$name/amof"
  mkdir -p "$directory" || fail "cannot make $directory"
  new=$directory/.amof.$$
  trap 'rm -rf "$work" "$new"' EXIT
  { cp "$name/amof" "$new" && chmod 755 "$new"; } || fail "cannot write to $directory" "Choose another place: AMOF_INSTALL_DIR=DIR"
  # What does not start here takes nothing's place: another processor, musl, a directory that may hold no programs.
  "$new" --version >/dev/null || fail "the program does not start on this system" "It needs glibc 2.27 or newer on Linux; what was installed before is still there"
  mv -f "$new" "$directory/amof"
  ln -sf amof "$directory/agentpack"
  say "Installed amof $version in $directory"
  has git || say "git is not installed, and amof needs it."
  case :$PATH: in
    *:"$directory":*) ;;
    *) say "Put it on your PATH: export PATH=\"$directory:\$PATH\"" ;;
  esac
  say "Try it: amof demo"
}

main() {
  directory=${AMOF_INSTALL_DIR:-${HOME:?}/.local/bin}
  case ${1:-} in
    '') install ;;
    --uninstall) uninstall ;;
    -h | --help)
      say "install.sh [--uninstall]: installs amof into $directory, or removes it from there."
      say "AMOF_VERSION chooses the version, AMOF_INSTALL_DIR the place."
      ;;
    *) fail "unknown argument $1" "See: install.sh --help" ;;
  esac
}

# On the last line, so that half a download does nothing.
main "$@"
