/**
 * A real `runyard serve` on a fixture project, which can be killed and comes back as it was. So can the processes in
 * which the graphs of a Python project run.
 */
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../support/processes/free-port.ts'
import { graphHostsOf } from '../support/processes/processes.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import type { KillableProject, Victim } from './languages.ts'

const command = resolve(import.meta.dirname, '../../bin/runyard')

export class KillableServer {
  readonly #dataDir: string
  readonly #project: KillableProject
  #port: number | undefined
  #up: Promise<ServeProcess>

  constructor(dataDir: string, project: KillableProject) {
    this.#dataDir = dataDir
    this.#project = project
    this.#up = this.#start()
  }

  /** Its address, once it is ready; after each start the same. Rejects when it does not start. */
  async url(): Promise<string> {
    return (await this.#up).url
  }

  /**
   * Ends it, the processes of its graphs or both without a word, and settles when it is ready again. It starts new
   * processes for its graphs by itself.
   */
  async killAndRestart(victim: Victim = 'server'): Promise<void> {
    // Where the last ones were just killed there are none.
    if (victim !== 'server') while ((await this.#killHosts()) === 0) await wait(10)
    if (victim === 'host') return
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

  /** Answers how many there were. */
  async #killHosts(): Promise<number> {
    const { process: server } = await this.#up
    const hosts = graphHostsOf(server.pid ?? 0)
    for (const pid of hosts) process.kill(pid, 'SIGKILL')
    return hosts.length
  }

  async #start(): Promise<ServeProcess> {
    this.#port ??= await freePort()
    const args = [command, 'serve', '--port', `${this.#port}`, '--data-dir', this.#dataDir]
    return startServeProcess(process.execPath, args, {
      cwd: this.#project.folder,
      env: { ...this.#project.env, RUNYARD_LOG_LEVEL: 'error' },
    })
  }
}
