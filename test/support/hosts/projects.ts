/**
 * The projects of the tests' servers, behind their hosts. A Python host is a process that takes a second to
 * start, so when a server has stopped, its host waits for the next server of the same project.
 */
import { type Log, silentLog } from '../../../src/core/log.ts'
import { openProject, type PythonOptions } from '../../../src/main/project.ts'
import type { ProjectConfig } from '../../../src/project/config.ts'

type Project = Awaited<ReturnType<typeof openProject>>

interface Opening {
  isLangSmithUsed: boolean
  log: Log
}

interface Kept {
  key: string
  project: Project
  /** Where its log goes to. */
  reader: { log: Log }
}

/** Each takes about 100 MB. */
const MOST_IDLE = 3
const idle: Kept[] = []

/** Throws `bad_request` for a project that cannot be opened. `stop`: for when its server has stopped. */
export async function lendProject(config: ProjectConfig, opening: Opening): Promise<Project> {
  if (!config.python) return open(config, opening)
  const key = JSON.stringify([config.path, opening.isLangSmithUsed, process.env.VIRTUAL_ENV])
  const at = idle.findIndex((one) => one.key === key)
  const [found] = at < 0 ? [] : idle.splice(at, 1)
  const kept = found ?? (await start(key, config, opening))
  kept.reader.log = opening.log
  return { ...kept.project, stop: () => keep(kept) }
}

async function start(key: string, config: ProjectConfig, opening: Opening): Promise<Kept> {
  const reader = { log: opening.log }
  const log = forwarding(() => reader.log)
  return { key, reader, project: await open(config, { ...opening, log }) }
}

async function keep(kept: Kept): Promise<void> {
  kept.reader.log = silentLog
  idle.push(kept)
  if (idle.length > MOST_IDLE) await idle.shift()?.project.stop()
}

function open(config: ProjectConfig, opening: Opening): Promise<Project> {
  const env = { ...process.env, ...config.env }
  const python: PythonOptions = { processes: 1, env, hasHome: false, logLevel: 'debug' }
  return openProject(config, { ...opening, python })
}

function forwarding(read: () => Log): Log {
  return {
    debug: (...told) => read().debug(...told),
    info: (...told) => read().info(...told),
    warn: (...told) => read().warn(...told),
    error: (...told) => read().error(...told),
    child: (fields) => forwarding(() => read().child(fields)),
  }
}
