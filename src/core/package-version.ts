/** Versions of packages, in order. */

/** Compares the leading numbers, as many as either has; a prerelease counts as its release: `1.0.0rc1` is `1.0.0`. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(version), numbersOf(than)]
  for (let place = 0; place < Math.max(ours.length, theirs.length); place += 1) {
    const [one, other] = [ours[place] ?? 0, theirs[place] ?? 0]
    if (one !== other) return one < other
  }
  return false
}

function numbersOf(version: string): number[] {
  const [numbers = ''] = /^\d+(\.\d+)*/.exec(version.trim()) ?? []
  return numbers.split('.').map(Number)
}
