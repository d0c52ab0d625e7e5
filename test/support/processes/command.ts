/** `runyard …` as a process, in a folder, talking to a test's Runyard. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { endTogether } from './end-together.ts'

export const RUNYARD = resolve(import.meta.dirname, '../../../bin/runyard')

export interface EndedCommand {
  code: number | null
  stdout: string
  stderr: string
}

interface CommandOptions {
  cwd: string
  env?: Record<string, string>
  /** What it reads from standard input. Default: nothing. */
  input?: string
}

/** Starts it. `until`: when standard error has the text. */
export function startCommand(args: string[], { cwd, env, input }: CommandOptions) {
  const child = spawn(RUNYARD, args, { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env } })
  endTogether(child, 'SIGKILL')
  // One that has ended without reading says so; what it printed tells why.
  child.stdin.on('error', () => {}).end(input ?? '')
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    // A letter of several bytes may come in two pieces.
    child[stream].setEncoding('utf8').on('data', (chunk) => {
      printed[stream] += chunk
    })
  }
  let isOver = false
  const ended = once(child, 'close').then(([code]): EndedCommand => {
    isOver = true
    return { code, ...printed }
  })
  const until = async (text: string) => {
    while (!printed.stderr.includes(text)) {
      // It has exited before all that it has said is read.
      if (isOver) throw new Error(`it ended without "${text}":\n${printed.stderr}`)
      await Promise.race([once(child.stderr, 'data'), ended])
    }
  }
  return { child, ended, until }
}
