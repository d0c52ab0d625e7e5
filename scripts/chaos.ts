/**
 * `npm run chaos [-- SEED]`: the fuzz, the property tests and the kill runs at their full length, and
 * the agent server's API tests on each database and on three servers.
 * The seed is printed; given again, it makes the same choices.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Whatever still goes on then is ended, in ms. */
const LIMIT_MS = 180 * 60_000

const seed = process.argv[2] ?? process.env.CHAOS_SEED ?? `${Math.floor(Math.random() * 2 ** 31)}`
if (!/^\d{1,10}$/.test(seed)) {
  console.error(`chaos: "${seed}" is no seed; give the number that an earlier run printed`)
  process.exit(2)
}

console.log(`chaos: seed ${seed}`)
const tests = spawn('vitest', ['run', 'test/fuzz', 'test/chaos', 'test/api/agent-server'], {
  stdio: 'inherit',
  env: { ...process.env, CHAOS: '1', CHAOS_SEED: seed },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
setTimeout(() => tests.kill(), LIMIT_MS).unref()

const [code] = (await once(tests, 'exit')) as [number | null]
if (code !== 0) console.error(`chaos: failed; to repeat it: npm run chaos -- ${seed}`)
process.exitCode = code ?? 1
