/**
 * Runs one command of a build. Each has a process group of its own, so that it can be ended with
 * all that it started; and a lifeline, so that it ends when Runyard itself is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandEnd, CommandTerms } from '../core/deployment/builds/project-commands.ts'
import { endGroup, killGroup } from '../process/group.ts'
import { type GroupWatch, watchGroup } from '../process/memory.ts'
import { readLines } from '../process/output-lines.ts'

export interface CommandOptions extends CommandTerms {
  /** Where it runs; absolute. */
  cwd: string
  /** The user that it runs as. Default: this process's user. */
  uid?: number
  gid?: number
  /** Its whole environment: nothing of this process's own is added. */
  env: Readonly<Record<string, string>>
  /** Text that the command can read from descriptor 4. Absent: no such descriptor. */
  input?: string
}

const MAX_CAPTURED_BYTES = 16 * 1024 * 1024
/** How often the command's memory is measured, in ms. */
const MEMORY_LOOK_MS = 250
/** How often to check whether the group is gone, and the time between two checks in ms. */
const GROUP_LOOKS = 50
const GROUP_LOOK_MS = 5

// Descriptor 3 is a socket whose other end only this process holds. When that end closes, with the end of the command
// or with the death of this process, the reader wakes and ends the group. A shell gives background jobs no standard
// input unless it is redirected, hence descriptor 5.
const LIFELINE_SCRIPT = `
exec 5<&0
"$@" <&5 5<&- 3<&- &
job=$!
{ read -r _ <&3; kill -9 -$$; } 5<&- >/dev/null 2>&1 &
line=$!
wait $job
code=$?
{ kill -9 $line; wait $line; } 2>/dev/null
exit $code`

/** Runs `command` until it ends, successfully or not. Rejects when aborted or unable to start. */
export async function runCommand(
  command: readonly [string, ...string[]],
  options: CommandOptions,
): Promise<CommandEnd> {
  options.signal.throwIfAborted()
  const child = spawn('/bin/sh', ['-c', LIFELINE_SCRIPT, 'sh', ...command], {
    cwd: options.cwd,
    env: { ...options.env },
    ...(options.uid !== undefined && { uid: options.uid }),
    ...(options.gid !== undefined && { gid: options.gid }),
    detached: true,
    stdio: [pipeIf(options.inputEnds), 'pipe', 'pipe', 'pipe', pipeIf(options.input)],
  })
  child.on('error', () => {})
  writeInput(child, options.input)
  const output = readOutput(child, options)
  const kill = () => killGroup(child)
  const deadline = limitTime(child, options)
  const memory = watchMemory(child, options.maxMemoryBytes)
  options.signal.addEventListener('abort', kill)
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    const isTimedOut = deadline.isOver()
    await settle(child, memory.group)
    options.signal.throwIfAborted()
    return { code: code ?? 137, isTimedOut, isTooLarge: memory.isTooLarge(), stdout: output() }
  } finally {
    memory.stop()
    deadline.stop()
    options.signal.removeEventListener('abort', kill)
  }
}

function pipeIf(content: unknown): 'pipe' | 'ignore' {
  return content === undefined ? 'ignore' : 'pipe'
}

/**
 * Kills the group after `limitMs`. With `inputEnds`, waits for that, closes standard input, and counts from then on.
 */
function limitTime(child: ChildProcess, { limitMs, inputEnds }: CommandOptions) {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let isStopped = false
  const begin = () => {
    child.stdin?.end()
    if (isStopped) return
    timer = setTimeout(() => {
      isOver = true
      killGroup(child)
    }, limitMs)
  }
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
  }
  child.stdin?.on('error', () => {})
  if (!inputEnds) begin()
  // If `inputEnds` rejects, the caller handles it and aborts the command.
  else void inputEnds.then(begin, () => {})
  return { isOver: () => isOver, stop }
}

/** Ignores write errors: a command that ends without reading its input reports why itself. */
function writeInput({ stdio }: ChildProcess, input = ''): void {
  const stream = stdio[4] as Writable | null | undefined
  stream?.on('error', () => {})
  stream?.end(input)
}

/** Kills the group when it uses more than `maxBytes` of memory. */
function watchMemory(child: ChildProcess, maxBytes: number) {
  const over = new AbortController()
  let isTooLarge = false
  const group = child.pid === undefined ? undefined : watchGroup(child.pid)
  const look = async ({ measure }: GroupWatch) => {
    while (!isTooLarge) {
      await delay(MEMORY_LOOK_MS, undefined, { signal: over.signal })
      isTooLarge = (await measure()) > maxBytes && killGroup(child)
    }
  }
  // The loop ends at the abort at the latest.
  if (group) look(group).catch(() => {})
  return { group, isTooLarge: () => isTooLarge, stop: () => over.abort() }
}

function readOutput(child: ChildProcess, options: CommandOptions): () => string {
  const captured: Buffer[] = []
  let capturedBytes = 0
  readLines(child.stderr, options.onLine)
  if (!options.isCaptured) readLines(child.stdout, options.onLine)
  else {
    child.stdout?.on('data', (chunk: Buffer) => {
      capturedBytes += chunk.length
      if (capturedBytes <= MAX_CAPTURED_BYTES) captured.push(chunk)
    })
  }
  return () => Buffer.concat(captured).toString('utf8')
}

/** Kills what the command left behind, and waits until its output is read. */
async function settle(child: ChildProcess, group: GroupWatch | undefined): Promise<void> {
  for (const stream of [child.stdin, ...child.stdio.slice(3)]) stream?.destroy()
  await endGroup(child)
  // A killed process closes its pipes a moment before it is gone.
  for (let looks = 0; looks < GROUP_LOOKS && (await isLeft(child, group)); looks++) {
    await delay(GROUP_LOOK_MS)
  }
}

async function isLeft(child: ChildProcess, group: GroupWatch | undefined): Promise<boolean> {
  if (!killGroup(child) || !group) return false
  return (await group.isRunning()) ?? true
}
