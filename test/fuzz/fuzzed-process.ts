/** A server in a process of its own, so that whatever befalls it befalls only it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { endTogether } from '../support/processes/end-together.ts'

export interface FuzzedProcess {
  /** The first line that it printed. */
  line: string
  isAlive(): boolean
  stop(): Promise<void>
}

/** Runs a script of this folder. Rejects when it ends before it has printed a line. */
export async function startFuzzedProcess(name: string, ...args: string[]): Promise<FuzzedProcess> {
  const script = fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  endTogether(child, 'SIGKILL')
  const gone = once(child, 'exit')
  const first = once(createInterface({ input: child.stdout }), 'line').then(([line]) => `${line}`)
  const tooEarly = gone.then(() => Promise.reject(new Error(`${name} ended before it was ready`)))
  tooEarly.catch(() => {})
  return {
    line: await Promise.race([first, tooEarly]),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
