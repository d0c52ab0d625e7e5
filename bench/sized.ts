/** The same work on a large and on a small database: nothing may slow down with age. */
import { duration } from './clock.ts'
import type { Row } from './row.ts'

/** One database of a given size, open. */
export interface Sized {
  work(): Promise<unknown>
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
      for (const one of [big, little]) await duration(() => one.work(), times)
      return {
        figure: () => duration(() => big.work(), times),
        floors: { [size(small)]: () => duration(() => little.work(), times) },
        async close() {
          await big.close()
          await little.close()
        },
      }
    },
  }
}
