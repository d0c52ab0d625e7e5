/**
 * `npm run chaos [-- [SEED] [FILE…]]`: the kill runs, one file after the other, since they count
 * milliseconds; then the fuzz, the property tests and the agent server's API tests on each database,
 * on three servers and behind a wire: all at their full length. FILE, a part of a test file's path,
 * picks some, which run one after the other too.
 * The seed is printed; given again, it makes the same choices.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Time limit for everything, in ms. */
const LIMIT_MS = 180 * 60_000
const KILLS = ['test/chaos']
const OTHERS = ['test/fuzz', 'test/api/agent-server']
const ONE_BY_ONE = '--no-file-parallelism'

const args = process.argv.slice(2)
const given = /^\d+$/.test(args[0] ?? '') ? args.shift() : process.env.CHAOS_SEED
const seed = given ?? `${Math.floor(Math.random() * 2 ** 31)}`
if (!/^\d{1,10}$/.test(seed)) {
  console.error(`chaos: "${seed}" is no seed; give the number that an earlier run printed`)
  process.exit(2)
}

console.log(`chaos: seed ${seed}`)
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
setTimeout(() => stopping.abort(), LIMIT_MS).unref()

const isPassed = args.length > 0 ? await passes([...args, ONE_BY_ONE]) : await allPass()
if (!isPassed)
  console.error(`chaos: failed; to repeat it: npm run chaos -- ${[seed, ...args].join(' ')}`)
process.exitCode = isPassed ? 0 : 1

/** The others run even if the kills have failed. */
async function allPass(): Promise<boolean> {
  const results = [await passes([...KILLS, ONE_BY_ONE]), await passes(OTHERS)]
  return results.every(Boolean)
}

async function passes(files: string[]): Promise<boolean> {
  if (stopping.signal.aborted) return false
  const tests = spawn('vitest', ['run', ...files], {
    stdio: 'inherit',
    env: { ...process.env, CHAOS: '1', CHAOS_SEED: seed },
  })
  const stop = () => tests.kill()
  stopping.signal.addEventListener('abort', stop)
  const [code] = (await once(tests, 'exit')) as [number | null]
  stopping.signal.removeEventListener('abort', stop)
  return code === 0
}
