/** Graphs in Python: the environment that they run in, the echo graph alone, and the official development server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { endTogether } from '../test/support/end-together.ts'
import { installPython } from '../test/support/python.ts'
import type { Asked, BareGraph, startBareGraph } from './bare-graph.ts'
import { type OfficialServer, startOfficialServer } from './official-server.ts'
import { benchProject, type TemporaryFolder, temporaryFolder } from './server.ts'
import { talk } from './talk.ts'

const REQUIREMENTS = join(import.meta.dirname, 'peer/python/requirements.txt')

/** The echo graph's project. */
export const PYTHON_PROJECT = benchProject('echo-python')
/** An agent of `create_agent` with a scripted model and two tools. */
export const AGENT_PROJECT = benchProject('agent-python')

/** The environment of all that is measured, the official server's packages among it; made by the first row. */
export async function pythonEnvironment(): Promise<{ python: string; env: NodeJS.ProcessEnv }> {
  const python = await installPython(REQUIREMENTS)
  return { python, env: { VIRTUAL_ENV: dirname(dirname(python)) } }
}

/** `startBareGraph`, in Python. There is no saver for PostgreSQL. `project`: whose graph it is. */
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

/** `langgraph dev` of the official packages, as it comes but for `more` arguments. `folder`: one that `copyOfProject` made. */
export async function startLanggraphDev(
  folder: string,
  more: readonly string[] = [],
): Promise<OfficialServer> {
  const { python } = await pythonEnvironment()
  // The command's script names the Python of the folder that the environment was made in, which has another name since.
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
