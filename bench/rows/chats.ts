/** Many clients chat at once, and each reads its answer token by token: how many tokens arrive, and how late. */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endTogether } from '../../test/support/processes/end-together.ts'
import { freePort } from '../../test/support/processes/free-port.ts'
import type { Heard, Talking } from '../chat-clients.ts'
import { cpuUs } from '../cpu.ts'
import { startLanggraphjsDev } from '../langgraphjs.ts'
import { copyOfProject, pythonEnvironment, startLanggraphDev } from '../python.ts'
import type { Measured, OpenRow, Row, Unit } from '../row.ts'
import { benchProject, type Server, startServer, stoppable, temporaryFolder } from '../server.ts'

/** How many clients chat at once. Each should get 20 tokens a second for 8 s. */
const PEOPLE = [50, 100, 200, 400]
/** For the rows with a second process: more clients than one process can serve. */
const MANY = [200, 400]
const ANSWER_MS = 8_000
/** After these, everything is loaded and Node has compiled the hot code. */
const WARM_UP_PEOPLE = 100
/** Above the number of clients, for Runyard and the official servers: the limit on runs at once is not measured. */
const JOBS = '500'

type Talkers = Pick<Server, 'url' | 'pid' | 'stop'>
type Language = 'TypeScript' | 'Python'

const PROJECTS = { TypeScript: benchProject('chat'), Python: benchProject('chat-python') }
const SUFFIXES = { TypeScript: '', Python: '-python' }
const LANGUAGES: Language[] = ['TypeScript', 'Python']

export const chatRows: Row[] = LANGUAGES.flatMap((language) => [
  {
    name: `chats${SUFFIXES[language]}`,
    title: `people who talk at once, a token every 50 ms for 8 s, ${language}`,
    unit: unitOf,
    pairs: 1,
    open: () => openRow(PEOPLE, startRunyard(language), floorsOf(language)),
  },
  {
    name: `chats-two${SUFFIXES[language]}`,
    title: `the same with a second process, ${language}`,
    unit: unitOf,
    pairs: 1,
    open: () =>
      openRow(MANY, startRunyard(language, { isTwo: true }), {
        'one process': startRunyard(language),
      }),
  },
])

function unitOf(told: string): Unit {
  if (told.endsWith('carried')) return 'tokens/s'
  return told.endsWith('cpu') ? 'µs' : 'ms'
}

type Start = () => Promise<Talkers>

/** One after the other, so that none slows another down. */
async function openRow(
  people: readonly number[],
  figure: Start,
  floors: Record<string, Start>,
): Promise<OpenRow> {
  const measured = Object.entries(floors).map(([name, start]) => [
    name,
    () => measure(people, start),
  ])
  return { figure: () => measure(people, figure), floors: Object.fromEntries(measured), close }
}

async function close(): Promise<void> {}

async function measure(people: readonly number[], start: Start): Promise<Measured> {
  const { url, pid, stop } = await start()
  const clients = fork(join(import.meta.dirname, '../chat-clients.ts'))
  endTogether(clients, 'SIGTERM')
  const talk = async (count: number): Promise<Heard> => {
    clients.send({ url, people: count, ms: ANSWER_MS } satisfies Talking)
    const [heard] = await Promise.race([once(clients, 'message'), once(clients, 'exit')])
    if (typeof heard !== 'object') throw new Error('The clients have ended.')
    return heard
  }
  try {
    await talk(WARM_UP_PEOPLE)
    const all: Record<string, number> = {}
    for (const count of people) {
      const before = cpuUs(pid)
      const heard = await talk(count)
      const cpu = (cpuUs(pid) - before) / heard.read
      all[`${count} carried`] = heard.inTime
      all[`${count} age p50`] = heard.age.p50
      all[`${count} age p99`] = heard.age.p99
      all[`${count} first p50`] = heard.first.p50
      all[`${count} first p99`] = heard.first.p99
      all[`${count} cpu`] = cpu
      await delay(1_000)
    }
    return all
  } finally {
    clients.kill()
    await stop()
  }
}

function startRunyard(language: Language, { isTwo = false } = {}): Start {
  return async () => {
    const data = await temporaryFolder()
    const ofLanguage = language === 'Python' ? (await pythonEnvironment()).env : {}
    const processes = language === 'Python' && isTwo ? { RUNYARD_PYTHON_PROCESSES: '2' } : {}
    const workers = language === 'TypeScript' && isTwo ? ['--workers', '2'] : []
    const server = await startServer(['serve', '--data-dir', data.path, ...workers], {
      cwd: PROJECTS[language],
      env: { ...ofLanguage, ...processes, N_JOBS_PER_WORKER: JOBS },
    })
    return removing(server, data.remove)
  }
}

function floorsOf(language: Language): Record<string, Start> {
  if (language === 'TypeScript') {
    return {
      'graph.stream behind node:http': startFloor,
      'langgraphjs dev': () =>
        startLanggraphjsDev(PROJECTS.TypeScript, ['--n-jobs-per-worker', JOBS]),
    }
  }
  return { 'graph.astream behind uvicorn': startPythonFloor, 'langgraph dev': startPythonPeer }
}

async function startFloor(): Promise<Talkers> {
  const script = join(import.meta.dirname, '../chat-floor.ts')
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  endTogether(child, 'SIGTERM')
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: `http://127.0.0.1:${String(port).trim()}`, ...stoppable(child) }
}

async function startPythonFloor(): Promise<Talkers> {
  const { python } = await pythonEnvironment()
  const port = String(await freePort())
  const child = spawn(python, [join(import.meta.dirname, '../chat_floor.py'), port], {
    env: { ...process.env, PYTHONPATH: PROJECTS.Python },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  endTogether(child, 'SIGTERM')
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url, { method: 'HEAD' }).catch(() => undefined))) await delay(50)
  return { url, ...stoppable(child) }
}

async function startPythonPeer(): Promise<Talkers> {
  const folder = await copyOfProject(PROJECTS.Python)
  const peer = await startLanggraphDev(folder.path, ['--n-jobs-per-worker', JOBS])
  return removing(peer, folder.remove)
}

function removing({ url, pid, stop }: Talkers, remove: () => Promise<void>): Talkers {
  const end = async () => {
    await stop()
    await remove()
  }
  return { url, pid, stop: end }
}
