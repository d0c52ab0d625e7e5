/** Colours for terminals. Node checks `NO_COLOR`, `FORCE_COLOR`, and whether the stream is a terminal. */
import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Statuses that need attention, good ones, and those on their way. */
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
