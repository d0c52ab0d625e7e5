/** Starts the official development servers with their defaults, and polls them until they answer. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { endTogether } from '../test/support/processes/end-together.ts'
import { freePort } from '../test/support/processes/free-port.ts'
import type { Server } from './server.ts'

const READY_MS = 120_000

export type OfficialServer = Pick<Server, 'url' | 'pid' | 'stop' | 'kill'>

/** `program … --port PORT` in the folder, where it keeps its files. Settles when `/ok` answers. */
export async function startOfficialServer(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<OfficialServer> {
  const port = String(await freePort())
  const child = spawn(program, [...args, '--port', port], {
    cwd,
    env: { ...process.env, LANGSMITH_TRACING: 'false', ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  endTogether(child, 'SIGTERM')
  const ended = once(child, 'exit')
  const end = (signal: NodeJS.Signals) => async () => {
    child.kill(signal)
    await ended
  }
  const url = `http://127.0.0.1:${port}`
  await untilOk(url, child)
  return { url, pid: child.pid ?? 0, stop: end('SIGTERM'), kill: end('SIGKILL') }
}

async function untilOk(url: string, child: ChildProcess): Promise<void> {
  const until = Date.now() + READY_MS
  while (!(await fetch(`${url}/ok`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`${child.spawnfile} is not ready.`)
    await delay(50)
  }
}
