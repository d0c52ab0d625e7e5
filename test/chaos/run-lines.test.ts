import { test } from 'vitest'
import { effort, SEED } from './effort.ts'
import { checkRunLines } from './run-lines.ts'

const GAMES = effort({ short: 40, whole: 5_000 })

test(
  `the runs of a thread come one at a time, in order, and end as told, in ${GAMES} games (seed ${SEED})`,
  () => checkRunLines({ count: GAMES, seed: SEED }),
  effort({ short: 120_000, whole: 1_800_000 }),
)
