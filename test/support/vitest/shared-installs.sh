#!/bin/sh
# npm, for the builds that tests start. What one build has installed is copied for the next one of the same run that
# installs the same with the same Node; whatever is not plainly the same goes to npm itself.
NPM='@NPM@'
here=$(dirname "$0")

case "$*" in
  'ci --include=dev --no-audit --no-fund' | 'install --include=dev --no-audit --no-fund') ;;
  *) exec "$NPM" "$@" ;;
esac
# Scripts may do anything; the other files and links may lie anywhere.
if [ ! -f package.json ] || [ -e node_modules ] || [ -e .npmrc ] || [ -e npm-shrinkwrap.json ] ||
  grep -qE '"(scripts|workspaces|bundleDependencies)"|"(file|link):' package.json; then
  exec "$NPM" "$@"
fi

# As builds keep what they have installed (src/build/install-cache.ts): a file is not written again, but replaced.
copy() {
  cp -alf "$@" 2>/dev/null || cp -af "$@"
}

# But for the two that npm may write in their place.
own() {
  for file in "$1/package-lock.json" "$1/node_modules/.package-lock.json"; do
    [ ! -e "$file" ] || { cp -p "$file" "$file.own" && mv "$file.own" "$file"; } || return
  done
}

key=$({
  echo "$*" && node --version && env | grep -iE '^(npm|node)_' | sort
  cat package.json
  [ ! -e package-lock.json ] || cat package-lock.json
} | sha256sum | cut -d ' ' -f 1)
kept="$here/$key"
# Of those that begin together one installs, and the others wait until it has ended, however that is.
exec 9>"$kept.lock"
! command -v flock >/dev/null || flock 9
if [ -d "$kept" ]; then
  echo 'npm: copied what another build of this run has installed'
  copy "$kept"/* . && own .
  exit
fi

"$NPM" "$@" 9>&- || exit
# Whole or not at all; another one may have been quicker. A failure here is none of the build's.
part="$here/part-$$"
mkdir "$part" && copy node_modules "$part/" &&
  { [ ! -e package-lock.json ] || copy package-lock.json "$part/"; } && own "$part" &&
  mv -T "$part" "$kept" 2>/dev/null || rm -rf "$part"
