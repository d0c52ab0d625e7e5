/** Colours, for who looks at a terminal. Node heeds `NO_COLOR`, `FORCE_COLOR`, and whether it is one. */
import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** The statuses that need somebody, those that are well, and those on their way. */
const COLOURS: readonly [RegExp, Format][] = [
  [/FAILED|^error$|^timeout$/, 'red'],
  [/^DEPLOYED$|^READY$|^success$|^ok$/, 'green'],
  [/ING$|^QUEUED$|^pending$|^running$|^busy$|^interrupted$|^warning$/, 'yellow'],
]

/** The text as standard output shows it. */
export function style(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout })
}

/** The text as standard error shows it. */
export function styleAside(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stderr })
}

/** The status of a deployment, a revision, a run or a thread, in its colour. */
export function statusColour(status: string): Format | undefined {
  return COLOURS.find(([pattern]) => pattern.test(status))?.[1]
}
