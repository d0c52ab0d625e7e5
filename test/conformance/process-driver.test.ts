/** The process driver, on real child processes over real HTTP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { createProcessDriver } from '../../src/runtime/process/driver.ts'
import { forEachTest } from '../support/running.ts'
import {
  locate,
  openProcessWorld,
  type ProcessWorld,
  type Spec,
  STAND_IN,
} from './process-world.ts'
import { ask, testRuntimeDriver, until, untilHealthy } from './runtime-driver.ts'

const OWNER = join(import.meta.dirname, '../fixtures/driver-owner.js')

/** Gone, or a zombie that only waits for its parent to notice. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

testRuntimeDriver('The process driver', openProcessWorld)

describe('The process driver', () => {
  const world = forEachTest(openProcessWorld)

  const startHealthy = async (behaviour: 'is well' | 'has a companion') => {
    const spec = world.spec(behaviour, [{ name: 'MODEL_KEY', value: 'the-secret' }])
    await world.driver.start(spec)
    const endpoint = await untilHealthy(world.driver, spec.revision_id)
    const about = (await ask(endpoint)) as {
      pid: number
      companion: number
      argv: string[]
      env: Record<string, string>
      cwd: string
    }
    return { spec, endpoint, about }
  }

  it('starts `serve` in the folder of the configuration', async () => {
    const { spec, about } = await startHealthy('is well')
    expect(about.argv.slice(2)).toEqual([
      'serve',
      '--managed',
      '--config',
      locate(world.dir, spec.artifact).configPath,
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--data-dir',
      join(world.dir, 'deployments', spec.deployment_id),
    ])
    expect(about.cwd).toBe(locate(world.dir, spec.artifact).root)
  })

  it('shows secrets and token neither in the environment nor on the command line', async () => {
    const { about, endpoint } = await startHealthy('is well')
    const visible = JSON.stringify([about.argv, about.env])
    expect(visible).not.toContain('the-secret')
    expect(visible).not.toContain(endpoint.token)
    expect(about.env).not.toHaveProperty('HOME')
  })

  it('leaves no process behind, whether the agent server is stopped or dies', async () => {
    const first = await startHealthy('has a companion')
    const restarting = until(world.driver, first.spec.revision_id, 'restarting')
    process.kill(first.about.pid, 'SIGKILL')
    await restarting
    await expect.poll(() => isAlive(first.about.companion)).toBe(false)
    const endpoint = await untilHealthy(world.driver, first.spec.revision_id)
    const second = (await ask(endpoint)) as { pid: number; companion: number }
    await world.driver.stop(first.spec.revision_id, 5000)
    await expect.poll(() => isAlive(second.companion)).toBe(false)
    expect(isAlive(second.pid)).toBe(false)
  })

  it('keeps what an agent server prints, with the time', async () => {
    const { spec } = await startHealthy('is well')
    const log = join(world.dir, 'logs', spec.revision_id, 'deploy.log')
    await expect.poll(() => readFile(log, 'utf8')).toMatch(/^\d{4}-\S+Z listening\n$/)
  })

  it('fails a revision whose command cannot be run, and says why', async () => {
    const driver = createProcessDriver({
      command: { file: '/nowhere/node', args: [] },
      locate: (artifact) => locate(world.dir, artifact),
      dataDir: () => world.dir,
      logsDir: join(world.dir, 'logs'),
      env: {},
      clock: systemClock,
      log: silentLog,
    })
    const spec = world.spec('is well')
    await driver.start(spec)
    const { reason } = await until(driver, spec.revision_id, 'failed')
    expect(reason).toContain('/nowhere/node')
  })

  it('ends an agent server whose start message cannot be made, and says why', async () => {
    const dataKey = () => {
      throw new Error('There is no key.')
    }
    const { driver, spec: makeSpec, close } = await openProcessWorld({ dataKey })
    onTestFinished(close)
    const spec = makeSpec('is well')
    await driver.start(spec)
    const { reason } = await until(driver, spec.revision_id, 'failed')
    expect(reason).toContain('There is no key.')
  })

  it('fails a revision that is an image, says what to do, and starts it once it is a folder', async () => {
    const errors: string[] = []
    const log: Log = { ...silentLog, error: (_, line) => errors.push(line), child: () => log }
    const { driver, spec: makeSpec, close } = await openProcessWorld({ log })
    onTestFinished(close)
    const { artifact, ...spec } = makeSpec('is well')
    const image = { kind: 'image', image_uri: 'registry.example.com/agent@sha256:c0ffee' } as const
    await driver.start({ ...spec, artifact: image })
    const { reason } = await until(driver, spec.revision_id, 'failed')
    expect(reason).toBe(
      'The revision is an image, and the runtime driver process only starts folders. ' +
        'Set RUNYARD_RUNTIME to a driver that starts images, or deploy from another source.',
    )
    expect(driver.replicas(spec.revision_id)).toMatchObject([{ state: 'failed', reason }])
    expect(errors).toEqual([])
    await driver.start({ ...spec, artifact })
    await until(driver, spec.revision_id, 'healthy')
  })

  it('ends one that has said why it does not start, and does not end', async () => {
    const spec = world.spec('says why it does not start, and stays')
    await world.driver.start(spec)
    const { reason } = await until(world.driver, spec.revision_id, 'failed')
    expect(reason).toBe('There is no ink.')
  })

  it('restarts at once again after it was healthy for long enough', async () => {
    const patient = await openProcessWorld({
      backoff: { baseMs: 600_000, maxMs: 600_000, resetMs: 0 },
    })
    const { revision_id } = await startIn(patient)
    for (const restarts of [1, 2, 3]) {
      const restarting = until(patient.driver, revision_id, 'restarting')
      await patient.kill(revision_id)
      expect(await restarting).toMatchObject({ restarts })
      await until(patient.driver, revision_id, 'healthy')
    }
    await patient.close()
  })

  it('waits before the second restart when it was not', async () => {
    const patient = await openProcessWorld({ backoff: { baseMs: 600_000, maxMs: 600_000 } })
    const { revision_id } = await startIn(patient)
    const states: string[] = []
    patient.driver.onChange((id) => states.push(patient.driver.observe(id).kind))
    for (const last of ['healthy', 'restarting'] as const) {
      const restarting = until(patient.driver, revision_id, 'restarting')
      await patient.kill(revision_id)
      await restarting
      await until(patient.driver, revision_id, last)
    }
    expect(states).toEqual(['restarting', 'healthy', 'restarting'])
    await patient.close()
    expect(patient.driver.observe(revision_id)).toEqual({ kind: 'absent' })
  })

  it('restarts one that lives and does not answer', async () => {
    const healthCheck = { everyMs: 20, answerMs: 100, failures: 2 }
    const impatient = await openProcessWorld({ healthCheck })
    const spec = impatient.spec('can hang')
    await impatient.driver.start(spec)
    const endpoint = await untilHealthy(impatient.driver, spec.revision_id)
    const restarting = until(impatient.driver, spec.revision_id, 'restarting')
    const hanging = fetch(`${endpoint.url}/hang`).catch(() => 'broken')
    expect((await restarting).reason).toContain('did not answer GET /ok 2 times in a row')
    expect(await hanging).toBe('broken')
    await untilHealthy(impatient.driver, spec.revision_id)
    await impatient.close()
  })

  it('ends one that is one too many though it never says that it has drained', async () => {
    const impatient = await openProcessWorld({ retireLimitMs: 100 })
    const spec = impatient.spec('never drains')
    await impatient.driver.start({ ...spec, replicas: 2 })
    const endpoints = () => {
      const state = impatient.driver.observe(spec.revision_id)
      return state.kind === 'healthy' ? state.endpoints : []
    }
    await expect.poll(() => endpoints().length).toBe(2)
    const surplus = endpoints()[1] ?? expect.fail('there is one')
    impatient.driver.scale(spec.revision_id, 1, async () => {})
    await expect.poll(() => ask(surplus)).toBeUndefined()
    await impatient.close()
  })

  it('holds an agent server to its memory limit', async () => {
    const spec = { ...world.spec('grows'), resource_spec: { memory_mb: 128 } }
    await world.driver.start(spec)
    // Each lives until its memory is looked at.
    const execArgv = async () => {
      const state = world.driver.observe(spec.revision_id)
      return state.kind === 'healthy' && (await ask(state.endpoints[0]))?.execArgv
    }
    await expect.poll(execArgv).toEqual(['--min-semi-space-size=6', '--max-old-space-size=192'])
    const { reason } = await until(world.driver, spec.revision_id, 'restarting')
    expect(reason).toMatch(/it took \d+ MB of memory, more than the 256 of its memory_limit_mb/)
  })

  it('takes its agent servers with it when it is killed', async () => {
    const spec = world.spec('is well')
    const parent = startOwner(world.dir, spec)
    const [about] = (await once(parent, 'message')) as [{ pid: number }]
    expect(isAlive(about.pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isAlive(about.pid)).toBe(false)
  })
})

async function startIn(world: ProcessWorld): Promise<Spec> {
  const spec = world.spec('is well')
  await world.driver.start(spec)
  await until(world.driver, spec.revision_id, 'healthy')
  return spec
}

/** A process of its own that has a driver, starts the revision and sends what it says of itself. */
function startOwner(dir: string, spec: Spec): ChildProcess {
  const given = [spec, locate(dir, spec.artifact)].map((one) => JSON.stringify(one))
  return spawn(process.execPath, [OWNER, dir, STAND_IN, ...given], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}
