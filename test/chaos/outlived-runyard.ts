/** `up` as a process that is killed and started again at its address, while its agent servers go on. */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { isOver, type Revision } from '../../client/src/client.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'

const COMMAND = new URL('../../bin/runyard', import.meta.url).pathname
const KEY = 'ry_the_key_of_the_operator'
const LOOK_MS = 100

export class OutlivedRunyard {
  readonly #dataDir: string
  readonly #env: NodeJS.ProcessEnv
  #up: ServeProcess | undefined
  readonly key = KEY

  constructor(dataDir: string, env: NodeJS.ProcessEnv) {
    this.#dataDir = dataDir
    this.#env = { RUNYARD_EXAMPLE: '0', RUNYARD_ADMIN_KEY: KEY, RUNYARD_DRAIN_SECS: '2', ...env }
  }

  get url(): string {
    return this.#up?.url ?? ''
  }

  /** A second time: at the same address. */
  async start(): Promise<void> {
    const port = this.#up ? new URL(this.#up.url).port : (this.#env.RUNYARD_PORT ?? '0')
    const env = { ...this.#env, RUNYARD_DATA_DIR: this.#dataDir, RUNYARD_PORT: port }
    this.#up = await startServeProcess(COMMAND, ['up'], { cwd: this.#dataDir, env })
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const { process } = this.#up ?? expect.fail('it does not run')
    const gone = once(process, 'exit')
    process.kill('SIGKILL')
    await gone
  }

  async stop(): Promise<void> {
    await this.#up?.stop()
  }

  readonly call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer: unknown = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, body: answer }
  }

  readonly untilOver = async ({
    id,
    latest_revision_id,
  }: {
    id: string
    latest_revision_id: string
  }) => {
    const path = `/v2/deployments/${id}/revisions/${latest_revision_id}`
    for (;;) {
      const revision = (await this.call('GET', path)).body as Revision
      if (isOver(revision.status)) return revision
      await wait(LOOK_MS)
    }
  }

  /** Settles when the deployment does a run in whole: what was in the way is over. */
  async untilAnswered(name: string): Promise<void> {
    const body = { assistant_id: 'slow', input: { label: 'a', count: 2, ms: 20 } }
    const whole = { status: 200, body: { steps: ['a:1', 'a:2'] } }
    await expect
      .poll(() => this.call('POST', `/agents/${name}/runs/wait`, body), {
        timeout: 180_000,
        interval: 500,
      })
      .toMatchObject(whole)
  }
}
