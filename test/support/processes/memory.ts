/** How much memory this process holds on to. */
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * What is really held, in bytes: rubbish is collected first. Twice, because buffers and long texts
 * outside the heap are given back only after the collection that found them.
 */
export async function bytesInUse(): Promise<number> {
  for (let i = 0; i < 2; i += 1) {
    collect()
    await turn()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
