/** Starts measured processes: `runyard`, up to its `ready` line, and the bare writer. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { endTogether } from '../test/support/processes/end-together.ts'

const command = resolve(import.meta.dirname, '../bin/runyard')

export interface Server {
  url: string
  pid: number
  /** Its output until it was ready. */
  output: string
  /** SIGTERM; settles when it has ended. */
  stop(): Promise<void>
  /** SIGKILL; settles when it has ended. */
  kill(): Promise<void>
}

/** The folder of a project in `bench/projects`. */
export function benchProject(name: string): string {
  return join(import.meta.dirname, 'projects', name)
}

/** `runyard ARGS --port 0` in the folder, its log at `error`. */
export async function startServer(
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Server> {
  const child = spawn(process.execPath, [command, ...args, '--port', '0'], {
    cwd: options.cwd,
    env: { ...process.env, RUNYARD_LOG_LEVEL: 'error', ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  // A row that fails in `open` closes nothing.
  endTogether(child, 'SIGTERM')
  const end = (signal: NodeJS.Signals) => async () => {
    child.kill(signal)
    await exited
  }
  const { pid = 0 } = child
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    const url = /^ready (\S+)$/m.exec(output)?.[1]
    if (url) return { url, pid, output, stop: end('SIGTERM'), kill: end('SIGKILL') }
  }
  throw new Error(`${args.join(' ')} ended before it was ready:\n${output}`)
}

/** `sse-writer.ts`, which writes only this frame. */
export async function startWriter(frame: string): Promise<Pick<Server, 'url' | 'pid' | 'stop'>> {
  const script = join(import.meta.dirname, 'sse-writer.ts')
  const child = spawn(process.execPath, [script, frame], { stdio: ['ignore', 'pipe', 'inherit'] })
  endTogether(child, 'SIGTERM')
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: `http://127.0.0.1:${String(port).trim()}`, ...stoppable(child) }
}

/** A started process in the form that rows use. */
export function stoppable(child: ChildProcess): Pick<Server, 'pid' | 'stop'> {
  const exited = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

export interface TemporaryFolder {
  path: string
  remove(): Promise<void>
}

/** A new folder with its removal. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'runyard-bench-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}
