/** The same work on a large and on a small database: it must not slow down with growth. */
import { duration } from './clock.ts'
import type { Measured, Row } from './row.ts'

type Work = () => Promise<unknown>

/** An open database of a given size. */
export interface Sized {
  /** Several kinds of work are measured in turn, each under its name. */
  work: Work | Readonly<Record<string, Work>>
  close(): Promise<void>
}

/** Median milliseconds of `times` repetitions at `large`, against those at `small`. */
export function sizedRow(options: {
  name: string
  title: string
  unit: string
  large: number
  small: number
  times: number
  open(size: number): Promise<Sized>
}): Row {
  const { name, title, unit, large, small, times } = options
  const size = (count: number) => `${count.toLocaleString('en')} ${unit}`
  return {
    name,
    title: `${title}, ${size(large)}`,
    unit: 'ms',
    pairs: 5,
    async open() {
      const [big, little] = [await options.open(large), await options.open(small)]
      for (const one of [big, little]) await timed(one, times)
      return {
        figure: () => timed(big, times),
        floors: { [size(small)]: () => timed(little, times) },
        async close() {
          await big.close()
          await little.close()
        },
      }
    },
  }
}

async function timed({ work }: Sized, times: number): Promise<Measured> {
  if (typeof work === 'function') return duration(work, times)
  const named: [string, number][] = []
  for (const [name, one] of Object.entries(work)) named.push([name, await duration(one, times)])
  return Object.fromEntries(named)
}
