/** A browser and its system, from how it names itself: `Firefox on Linux`. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return 'A browser without a name'
  const browser = BROWSERS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'A program'
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0]
  return system ? `${browser} on ${system}` : browser
}

/** In this order: most of them name those that come later, too. */
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
