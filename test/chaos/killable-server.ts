/** A real `runyard serve` on a fixture project, by default `echo`, which can be killed and comes back as it was. */
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fixtureProject } from '../support/agent-server.ts'
import { freePort } from '../support/free-port.ts'
import { type ServeProcess, startServeProcess } from '../support/serve-process.ts'

const command = resolve(import.meta.dirname, '../../bin/runyard')

export class KillableServer {
  readonly #dataDir: string
  readonly #projectName: string
  #port: number | undefined
  #up: Promise<ServeProcess>

  constructor(dataDir: string, projectName = 'echo') {
    this.#dataDir = dataDir
    this.#projectName = projectName
    this.#up = this.#start()
  }

  /** Its address, once it is ready; after each start the same. Rejects when it does not start. */
  async url(): Promise<string> {
    return (await this.#up).url
  }

  /** Ends it without a word, starts it again and settles when it is ready. */
  async killAndRestart(): Promise<void> {
    await this.kill()
    this.#up = this.#start()
    await this.#up
  }

  /** SIGKILL; settles when the process is gone. */
  async kill(): Promise<void> {
    const { process } = await this.#up
    const gone = process.exitCode ?? process.signalCode ?? once(process, 'exit')
    process.kill('SIGKILL')
    await gone
  }

  async #start(): Promise<ServeProcess> {
    this.#port ??= await freePort()
    const cwd = fixtureProject(this.#projectName)
    const args = [command, 'serve', '--port', `${this.#port}`, '--data-dir', this.#dataDir]
    return startServeProcess(process.execPath, args, {
      cwd,
      env: { RUNYARD_LOG_LEVEL: 'error' },
    })
  }
}
