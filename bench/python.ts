/** Graphs in Python: their environment, the echo graph alone, and the official development server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { installPython } from '../test/support/hosts/python.ts'
import { endTogether } from '../test/support/processes/end-together.ts'
import type { Asked, BareGraph, startBareGraph } from './bare-graph.ts'
import { type OfficialServer, startOfficialServer } from './official-server.ts'
import { benchProject, type TemporaryFolder, temporaryFolder } from './server.ts'
import { talk } from './talk.ts'

const REQUIREMENTS = join(import.meta.dirname, 'peer/python/requirements.txt')

/** The echo graph's project. */
export const PYTHON_PROJECT = benchProject('echo-python')
/** An agent of `create_agent` with a scripted model and two tools. */
export const AGENT_PROJECT = benchProject('agent-python')

/** The environment of all measurements, with the official server's packages; made by the first row. */
export async function pythonEnvironment(): Promise<{ python: string; env: NodeJS.ProcessEnv }> {
  const python = await installPython(REQUIREMENTS)
  return { python, env: { VIRTUAL_ENV: dirname(dirname(python)) } }
}

/** `startBareGraph`, in Python, without a saver for PostgreSQL. `project`: the graph's project. */
export async function startPythonGraph(
  kind: Parameters<typeof startBareGraph>[0],
  place = '',
  project = PYTHON_PROJECT,
): Promise<BareGraph> {
  const { python } = await pythonEnvironment()
  const child = spawn(python, [join(import.meta.dirname, 'invoke.py'), kind, place], {
    env: { ...process.env, PYTHONPATH: project },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = ending(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  async function ask(asked: object): Promise<unknown> {
    child.stdin.write(`${JSON.stringify(asked)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`The bare graph in Python (${kind}) ended.`)
    return JSON.parse(value)
  }
  return {
    pid: child.pid ?? 0,
    async ask<Answer>(asked: Asked) {
      if (asked.what !== 'talk') return (await ask(asked)) as Answer
      await talk(asked, (thread_id, text) => ask({ what: 'say', thread_id, text }))
      return 'said' as Answer
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The official `langgraph dev` with its defaults and `more` arguments. `folder`: made by `copyOfProject`. */
export async function startLanggraphDev(
  folder: string,
  more: readonly string[] = [],
): Promise<OfficialServer> {
  const { python } = await pythonEnvironment()
  // As a module: the command's script names Python by the environment's first folder, which was renamed since.
  const args = ['-m', 'langgraph_cli', 'dev', '--no-browser', '--no-reload', ...more] as const
  return startOfficialServer([python, ...args], { cwd: folder, env: { LOG_LEVEL: 'ERROR' } })
}

export async function copyOfProject(project = PYTHON_PROJECT): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  await cp(project, folder.path, { recursive: true })
  return folder
}

function ending(child: ChildProcess): Promise<unknown> {
  endTogether(child, 'SIGTERM')
  return once(child, 'exit')
}
