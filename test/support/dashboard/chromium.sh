#!/bin/sh
# The browser of the tests, at $CHROMIUM, without the pages that it makes ready for the address bar of each window: a
# second of processor time for each. Of several --disable-features the last counts, and Playwright has one: it is added to.
for given in "$@"; do
  shift
  case "$given" in
    --disable-features=*) given="$given,WebUIOmniboxPopup,WebUIOmniboxAimPopup" ;;
  esac
  set -- "$@" "$given"
done
exec "$CHROMIUM" "$@"
