import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { processesIn } from '../processes/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startCluster, stopClusterIn } from './postgres-cluster.ts'

let folder: string
let place: string

beforeEach(() => {
  folder = temporaryFolder()
  chmodSync(folder, 0o755)
  place = join(folder, 'cluster')
  mkdirSync(place)
})
afterEach(async () => {
  await stopClusterIn(place)
})

test('a cluster ends with its owner, also one that was stopped and started', async () => {
  const owner = spawn('sleep', ['600'])
  await once(owner, 'spawn')
  const cluster = await startCluster(place, { owner: owner.pid ?? 0 })
  await cluster.stop('fast')
  // Who watches over it looks again meanwhile, and is not misled.
  const [{ pid } = expect.fail('nobody watches')] = processesIn(place)
  const pauses = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const first = pauses()
  await eventually(pauses).not.toBe(first)
  await cluster.start()
  owner.kill('SIGKILL')
  await eventually(() => processesIn(place)).toEqual([])
})
