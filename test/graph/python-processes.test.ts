/** The processes of a Python host: what they are started with, what their end costs, and that none is left. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Log, silentLog } from '../../src/core/log.ts'
import { openProject } from '../../src/main/project.ts'
import { readProjectConfig } from '../../src/project/config.ts'
import { HostWorld, payloadsOf } from '../support/hosts/host-world.ts'
import { activateHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import { startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const BIN = fileURLToPath(new URL('../../bin/runyard', import.meta.url))

/** Its node does what the input says. */
const AGENT = `
import asyncio, ctypes, os, signal, subprocess, sys, time
from typing import Any
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

class State(TypedDict, total=False):
    do: str
    answer: Any

async def act(state: State) -> State:
    do = state.get("do")
    if do == "exit":
        os._exit(3)
    if do == "crash":
        ctypes.string_at(0)
    if do == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if do == "wait":
        await asyncio.Event().wait()
    if do == "child":
        child = subprocess.Popen(["sleep", "1000"])
        return {"answer": [os.getpid(), child.pid]}
    if do == "block":
        child = subprocess.Popen(["sleep", "1000"])
        print("blocks", os.getpid(), child.pid, flush=True)
        time.sleep(1000)
    if do == "environment":
        return {"answer": dict(os.environ)}
    return {"answer": os.getpid()}

graph = StateGraph(State).add_node("act", act).add_edge(START, "act").add_edge("act", END).compile()
`

let root: string
let world: HostWorld | undefined
const stops: (() => Promise<unknown>)[] = []
let logged: { fields: object; message: string }[]

describe.skipIf(NO_PYTHON)('the processes of a Python host', () => {
  beforeAll(() => activateHostPython())

  beforeEach(async () => {
    root = temporaryFolder()
    logged = []
    await writeFile(join(root, 'agent.py'), AGENT)
    await writeFile(
      join(root, 'langgraph.json'),
      JSON.stringify({ graphs: { agent: './agent.py:graph' } }),
    )
  })

  afterEach(async () => {
    await world?.close()
    world = undefined
    for (const stop of stops.splice(0).toReversed()) await stop()
  })

  async function openHost({ processes = 1, env = {} as NodeJS.ProcessEnv } = {}) {
    const note = (fields: object, message: string) => void logged.push({ fields, message })
    const log: Log = { ...silentLog, info: note, error: note, child: () => log }
    const python = {
      processes,
      env: { ...process.env, ...env },
      hasHome: false,
      logLevel: 'debug' as const,
    }
    const config = await readProjectConfig(join(root, 'langgraph.json'))
    const { host, stop } = await openProject(config, { isLangSmithUsed: false, python, log })
    stops.push(stop)
    world = await HostWorld.open(host)
    return { host, stop, world }
  }

  const play = async (what: string) => {
    const told = await (world as HostWorld).play('agent', { input: { do: what } })
    const values = payloadsOf(told, 'values').at(-1) as { answer?: unknown } | undefined
    return { end: told.end, answer: values?.answer }
  }

  it('have the project’s variables and the machine’s, and none of the server’s', async () => {
    const theirs = { MODEL_KEY: 'k', PYTHONPATH: '/there' }
    const ours = {
      ...{ RUNYARD_DATABASE_URL: 'postgres://secret', RUNYARD_API_KEYS: 'a', NODE_CHANNEL_FD: '3' },
      ...{ RUNYARD_ENCRYPTION_KEY: 'e', RUNYARD_URL: 'http://a', npm_config_registry: 'r' },
    }
    await openHost({ env: { ...theirs, ...ours } })
    const { answer } = await play('environment')
    // The programs of the environment come first.
    const { VIRTUAL_ENV, PATH, HOME } = process.env
    expect(answer).toMatchObject({ ...theirs, PATH: `${VIRTUAL_ENV}/bin:${PATH}`, HOME })
    for (const name of Object.keys(ours)) expect(answer).not.toHaveProperty(name)
  })

  it.each([
    ['crash', 'has crashed (SIGSEGV)'],
    ['exit', 'has ended with code 3'],
  ])(
    'cost a run its attempt when one does as in "%s", and the next run nothing',
    async (act, how) => {
      const { host } = await openHost()
      const { answer: before } = await play('pid')
      const open = await host.open('agent', { configurable: { thread_id: 'a thread' } })
      expect((await play(act)).end).toMatchObject({
        kind: 'failed',
        failure: { kind: 'host_lost', message: expect.stringContaining(how) },
      })
      // What only reads finds the next process by itself.
      expect(await open.names()).toMatchObject({ nodes: expect.arrayContaining(['act']) })
      const { answer: after } = await play('pid')
      expect(after).not.toBe(before)
      expect(logged.map(({ message }) => message).join('\n')).toContain(how)
    },
  )

  it('end with all that their graphs have started', async () => {
    const { stop } = await openHost()
    const { answer } = await play('child')
    const pids = answer as number[]
    expect(pids.map(isAlive)).toEqual([true, true])
    await stop()
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false])
  })

  it('share the graphs that are opened, and die one by one', async () => {
    const { world } = await openHost({ processes: 2 })
    const abort = new AbortController()
    const waiting = await world.begin('agent', { input: { do: 'wait' }, signal: abort.signal })
    const reading = waiting.emissions[Symbol.asyncIterator]().next()
    // The one that waits has a call under way: the others go to the other process.
    const { answer: first } = await play('pid')
    expect((await play('pid')).answer).toBe(first)
    expect((await play('exit')).end).toMatchObject({ failure: { kind: 'host_lost' } })
    expect(await reading).toMatchObject({ done: false })
    abort.abort()
  })

  it('say why a project cannot be loaded', async () => {
    await writeFile(
      join(root, 'agent.py'),
      'def broken():\n    raise KeyError("of theirs")\nbroken()\n',
    )
    await expect(openHost()).rejects.toMatchObject({ code: 'bad_request' })
    await expect(openHost()).rejects.toThrow(/agent\.py.*KeyError/s)
  })

  it('say what they wrote last where they end before that', async () => {
    const text = 'import os, sys\nprint("the last words", file=sys.stderr)\nos._exit(9)\n'
    await writeFile(join(root, 'agent.py'), text)
    const refused = openHost()
    await expect(refused).rejects.toMatchObject({ code: 'bad_request' })
    await expect(refused).rejects.toThrow(/ended with code 9.*the last words/s)
  })

  it('end within two seconds of a server that was killed, with what they have started', async () => {
    const args = [BIN, 'serve', '--port', '0', '--data-dir', join(root, 'data')]
    const server = await startServeProcess(process.execPath, args, { cwd: root })
    const output: string[] = []
    server.process.stderr?.on('data', (chunk) => output.push(String(chunk)))
    const request = JSON.stringify({ assistant_id: 'agent', input: { do: 'block' } })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${server.url}/runs`, { method: 'POST', headers, body: request })
    await expect.poll(() => output.join('')).toMatch(/blocks \d+ \d+/)
    const [, host, child] = /blocks (\d+) (\d+)/.exec(output.join('')) ?? []
    const pids = [Number(host), Number(child)]
    expect(pids.map(isAlive)).toEqual([true, true])
    server.process.kill('SIGKILL')
    const options = { timeout: 2_000, interval: 20 }
    await expect.poll(() => pids.map(isAlive), options).toEqual([false, false])
  })

  it('end with their server even while they are stopped', async () => {
    const args = [BIN, 'serve', '--port', '0', '--data-dir', join(root, 'data')]
    const server = await startServeProcess(process.execPath, args, { cwd: root })
    const wait = async (what: string) => {
      const body = JSON.stringify({ assistant_id: 'agent', input: { do: what } })
      const headers = { 'content-type': 'application/json' }
      return (await fetch(`${server.url}/runs/wait`, { method: 'POST', headers, body })).json()
    }
    const { answer: pid } = (await wait('pid')) as { answer: number }
    process.kill(pid, 'SIGSTOP')
    server.process.kill('SIGKILL')
    await expect.poll(() => isAlive(pid), { timeout: 3_000, interval: 20 }).toBe(false)
  })
})

/** Not so one that has ended, and that its parent has not looked at yet. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^ Z /.test(stat.slice(stat.lastIndexOf(')') + 1))
  } catch {
    return false
  }
}
