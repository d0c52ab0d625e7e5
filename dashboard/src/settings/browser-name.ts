/** A browser and its system from its user agent: `Firefox on Linux`. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return 'A browser without a name'
  const browser = BROWSERS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'A program'
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0]
  return system ? `${browser} on ${system}` : browser
}

/** The order matters: most user agents also name browsers that come later here. */
const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
]

const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
]
