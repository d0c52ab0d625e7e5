/** Versions of packages, in order. */

/** Whether it comes before the other, `MAJOR.MINOR.PATCH`; a prerelease counts as what it precedes. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(version), numbersOf(than)]
  for (const [place, wanted] of theirs.entries()) {
    const part = ours[place] ?? 0
    if (part !== wanted) return part < wanted
  }
  return false
}

function numbersOf(version: string): number[] {
  return version.split('.', 3).map((part) => Number.parseInt(part, 10))
}
