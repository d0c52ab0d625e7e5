/** `runyard serve` as a process, up to its `ready` line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { endTogether } from './end-together.ts'

export interface ServeProcess {
  process: ChildProcess
  url: string
  /** SIGTERM; settles with the exit code. */
  stop(): Promise<number | null>
}

/**
 * Rejects with the output when the process ends before it is ready. `hasChannel`: it is started as some
 * process managers do, with a channel to this process.
 */
export async function startServeProcess(
  command: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; hasChannel?: boolean },
): Promise<ServeProcess> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.hasChannel ? (['ipc'] as const) : [])],
  })
  endTogether(child, 'SIGTERM')
  const exited = once(child, 'exit')
  return {
    process: child,
    url: await readyUrl(child),
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  let output = ''
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      output += chunk
      const url = /^ready (\S+)\n/m.exec(output)?.[1]
      if (url) resolve(url)
    })
    // When it exits, what it has said last may still have to be read.
    child.once('close', (code, signal) => {
      const isReady = /^ready /m.test(output)
      if (!isReady) reject(new Error(`it ended before it was ready:\n${output}${errors}`))
      // Whoever talks to it sees a closed connection, and not why.
      else if (isCrash(code, signal))
        console.error(`${child.spawnfile}: ${signal ?? code}\n${errors}`)
    })
  })
}

/** Nobody has asked it to end so. */
function isCrash(code: number | null, signal: NodeJS.Signals | null): boolean {
  return signal === null ? code !== 0 : ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL'].includes(signal)
}

/** One threadless run of the assistant; answers its final values. */
export async function runOnce(url: string, assistant_id: string, text: string): Promise<unknown> {
  const response = await fetch(`${url}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id, input: { messages: [{ role: 'user', content: text }] } }),
  })
  return response.json()
}
