import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type CommandOptions, runCommand } from './command.ts'

const env = { PATH: process.env.PATH ?? '' }

function options(more: Partial<CommandOptions> = {}): CommandOptions & { lines: string[] } {
  const lines: string[] = []
  const signal = new AbortController().signal
  const onLine = (line: string) => lines.push(line)
  const limits = { limitMs: 60_000, maxMemoryBytes: 1024 ** 3 }
  return { cwd: '/', env, signal, ...limits, onLine, lines, ...more }
}

/** Gone, or a zombie that only waits for its parent to notice. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

it('answers how the command ended and hands on what it printed', async () => {
  const at = options()
  const end = await runCommand(['sh', '-c', 'echo out; echo err >&2; exit 7'], at)
  expect(end).toMatchObject({ code: 7, isTimedOut: false, stdout: '' })
  expect(at.lines.sort()).toEqual(['err', 'out'])
})

it('answers the standard output when it is captured', async () => {
  const at = options({ isCaptured: true })
  expect((await runCommand(['printf', '%s|', 'a b', '$HOME'], at)).stdout).toBe('a b|$HOME|')
  expect(at.lines).toEqual([])
})

it('gives the command its environment and nothing else, and no input', async () => {
  const at = options({ isCaptured: true, env: { ...env, ONLY: 'this' } })
  const { stdout } = await runCommand(['sh', '-c', 'cat; env'], at)
  const names = stdout.split('\n').map((line) => line.split('=')[0])
  expect(names).toContain('ONLY')
  expect(names).not.toContain('HOME')
})

it('begins a command that waits with its input, and counts its time from then on', async () => {
  const { promise: inputEnds, resolve } = Promise.withResolvers<void>()
  const lines: string[] = []
  const onLine = (line: string) => {
    lines.push(line)
    if (line === 'waits') resolve()
  }
  const at = { ...options({ limitMs: 1_000 }), onLine, inputEnds }
  const end = await runCommand(['sh', '-c', 'sleep 1.1; echo waits; cat; echo goes on'], at)
  expect(end).toMatchObject({ code: 0, isTimedOut: false })
  expect(lines).toEqual(['waits', 'goes on'])
})

it('ends a command that waits when it is aborted', async () => {
  const abort = new AbortController()
  let pid = 0
  const onLine = (line: string) => {
    pid = Number(line)
    abort.abort(new Error('nothing comes any more'))
  }
  const inputEnds = new Promise<void>(() => {})
  const at = { ...options({ signal: abort.signal }), onLine, inputEnds }
  await expect(runCommand(['sh', '-c', 'echo $$; cat'], at)).rejects.toThrow('nothing comes')
  expect(isAlive(pid)).toBe(false)
})

it('says when a command is not there', async () => {
  const at = options()
  expect((await runCommand(['no-such-command'], at)).code).toBe(127)
  expect(at.lines.join()).toContain('no-such-command')
})

it('ends a command with all that it started when it takes too long', async () => {
  const at = options({ limitMs: 1_500 })
  const end = await runCommand(['sh', '-c', 'sleep 600 & echo $!; wait'], at)
  expect(end.isTimedOut).toBe(true)
  expect(isAlive(Number(at.lines[0]))).toBe(false)
})

it.runIf(process.platform === 'linux')(
  'ends a command when what it started takes too much memory (Linux says how much)',
  async () => {
    const at = options({ maxMemoryBytes: 150 * 1024 ** 2 })
    const hungry = `echo $$; ${process.execPath} -e 'a = Buffer.alloc(3e8, 1); setInterval(() => a, 1e6)'`
    const end = await runCommand(['sh', '-c', `(${hungry}); echo after`], at)
    expect(end).toMatchObject({ isTooLarge: true, isTimedOut: false })
    expect(at.lines).not.toContain('after')
    expect(isAlive(Number(at.lines[0]))).toBe(false)
  },
)

it('ends a command with all that it started when it is aborted', async () => {
  const abort = new AbortController()
  const pids: number[] = []
  const running = runCommand(['sh', '-c', 'sleep 600 & echo $!; echo $$; wait'], {
    ...options({ signal: abort.signal }),
    onLine(line) {
      pids.push(Number(line))
      if (pids.length === 2) abort.abort(new Error('not wanted any more'))
    },
  })
  await expect(running).rejects.toThrow('not wanted any more')
  expect(pids.filter(isAlive)).toEqual([])
})

it('ends what a command left running behind it', async () => {
  const at = options()
  expect((await runCommand(['sh', '-c', 'sleep 600 & echo $!'], at)).code).toBe(0)
  expect(isAlive(Number(at.lines[0]))).toBe(false)
})

it('ends the command when the process that runs it is killed', async () => {
  const script = `
    import { runCommand } from ${JSON.stringify(join(import.meta.dirname, 'command.ts'))}
    await runCommand(['sh', '-c', 'echo $$; sleep 600'], {
      cwd: '/', env: process.env, signal: new AbortController().signal, limitMs: 60000,
      onLine: (line) => process.send(line),
    })
  `
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [pid] = await once(parent, 'message')
  expect(isAlive(Number(pid))).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(Number(pid))).toBe(false)
})
