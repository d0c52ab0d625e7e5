/** `npm start` in a folder, the way a user types it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { endTogether } from './end-together.ts'

interface NpmStart {
  process: ChildProcess
  /** Settles with the output so far once it contains the text; rejects when the process ends. */
  until(text: string | RegExp): Promise<string>
  /** Settles when npm has ended. */
  ended: Promise<unknown>
}

/** In a process group of its own, as a terminal would start it. */
export function npmStart(folder: string, env: Record<string, string>): NpmStart {
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endTogether(child, 'SIGTERM')
  let output = ''
  const listeners = new Set<() => void>()
  const take = (chunk: Buffer) => {
    output += chunk
    for (const listener of listeners) listener()
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const ended = once(child, 'exit')
  const closed = once(child, 'close')
  return {
    process: child,
    ended,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = () => (output.match(text) ? resolve(output) : undefined)
        listeners.add(look)
        look()
        // Not at its exit: what it has said last may still be on its way.
        void closed.then(() => reject(new Error(`npm start ended:\n${output}`)))
      }),
  }
}
