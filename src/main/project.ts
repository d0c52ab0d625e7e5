/** A project behind its port, with all settings of its `langgraph.json`. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { AgentServerOptions } from '../agent-server/server/options.ts'
import { wholePath } from '../artifacts/pieces.ts'
import type { GraphHost } from '../core/agent/host/graph-host.ts'
import type { Patch } from '../core/agent/host/patches.ts'
import type { Log, LogLevel } from '../core/log.ts'
import type { SchemasPlace } from '../graph/js/host.ts'
import { noteSource } from '../graph/js/modules/hooks.ts'
import type { OnStep } from '../link/follow-driver.ts'
import type { StartMessage } from '../link/messages.ts'
import { type ProjectConfig, readProjectConfig } from '../project/config.ts'
import { isJavascript } from '../project/module-spec.ts'
import { bundleUi } from '../project/ui-bundle.ts'
import type { Environment } from '../settings/values.ts'

interface OpenOptions {
  /** Whether graphs trace to LangSmith. */
  isLangSmithUsed: boolean
  /** The LangSmith project, from the environment. Default `default`. */
  langSmithProject?: string
  /** The bundle of the project's JavaScript; absolute. Absent: its modules are loaded as they are. */
  bundlePath?: string
  /** Whether the stack traces that the project's own code reads name the sources of the bundle. Default: no. */
  hasSourceMaps?: boolean
  /** Unpacks sources and packages of a bundle that came alone. */
  unpackSources?(): Promise<ProjectConfig>
  schemas?: SchemasPlace
  /** The default step limit of runs in JavaScript. Absent: LangGraph's own limit. */
  recursionLimit?: number
  /** `RUNYARD_PATCHES_OFF`. Default: none. */
  patchesOff?: readonly Patch[]
  python: PythonOptions
  /** Called with each step of the start. */
  onStep?: OnStep
  log: Log
}

export interface PythonOptions {
  /** How many processes run graphs. */
  processes: number
  /** The Python that its build has installed for; absolute. Absent: found by a search. */
  path?: string
  /** All variables, including the project's. */
  env: Environment
  /** Whether its graphs may request tokens from a control plane. */
  hasHome: boolean
  logLevel: LogLevel
}

/** Throws `bad_request`, with a message for people, like the parts that it loads. `stop` ends its processes. */
export async function openProject(
  config: ProjectConfig,
  options: OpenOptions,
): Promise<
  Pick<AgentServerOptions, 'host' | 'config' | 'ui'> & { stop(graceMs?: number): Promise<void> }
> {
  const python = config.python && openPython(config, options)
  // It may fail before the `await`.
  python?.catch(() => {})
  try {
    const js = isJavascriptUsed(config) ? await openJs(config, options) : undefined
    const ui = await bundleUi(config, noteSource)
    const started = await python
    const host = await joined(config, { python: started?.host, js })
    return { host, config, ui, stop: async (graceMs) => started?.stop(graceMs) }
  } catch (error) {
    const started = await python?.catch(() => undefined)
    await started?.stop()
    throw error
  }
}

/** Each language has its host, started only if the project uses it. */
async function joined(
  { graphs }: ProjectConfig,
  { python, js }: { python: GraphHost | undefined; js: GraphHost | undefined },
): Promise<GraphHost> {
  if (!python || !js) return (python ?? js) as GraphHost
  const { joinHosts } = await import('../graph/joined.ts')
  const ids = graphs.map(({ graph_id }) => graph_id)
  const isPythonFirst = graphs[0]?.language === 'python'
  return isPythonFirst ? joinHosts(python, js, ids) : joinHosts(js, python, ids)
}

function isJavascriptUsed({ graphs, auth, http, store, python }: ProjectConfig): boolean {
  const modules = [...graphs, ...(auth ? [auth] : []), ...(http.app ? [http.app] : [])]
  return !python || modules.some(isJavascript) || store.index?.language === 'javascript'
}

async function openJs(config: ProjectConfig, options: OpenOptions): Promise<GraphHost> {
  const { createJsHost } = await import('../graph/js/host.ts')
  const { loadProject } = await import('../graph/js/project.ts')
  return createJsHost(await loadProject(config, options), options)
}

async function openPython(config: ProjectConfig, options: OpenOptions) {
  const { python, onStep, log } = options
  const { openPythonHost } = await import('../graph/python/host.ts')
  const { activated, hostEnvironment } = await import('../graph/python/environment.ts')
  const { pythonHostConfig } = await import('../project/python/host-config.ts')
  const { root } = config
  const path = python.path ?? (await findPython(root, options))
  return openPythonHost({
    program: {
      python: path,
      root,
      env: activated(hostEnvironment(python.env, python), path),
      config: { ...pythonHostConfig(config, options) },
    },
    processes: python.processes,
    logLevel: python.logLevel,
    ...(onStep && { onStep }),
    log,
  })
}

async function findPython(root: string, { python, log }: OpenOptions): Promise<string> {
  const { findInterpreter } = await import('../project/python/interpreter.ts')
  const { path, version, langgraph } = await findInterpreter(root, python.env)
  log.info({ python: path, version, langgraph }, 'found the Python of the project')
  return path
}

interface PackedOptions {
  start: Pick<StartMessage, 'bundlePath' | 'sourceRoot'> | undefined
  /** Absolute; the project's own folder may be read-only. */
  dataDir: string
  environment: Environment
  log: Log
}

/**
 * Unpacks a project whose packages are packed beside its bundle, for a bundle that does not work. Returns the
 * configuration of the unpacked project; `undefined`: nothing is packed, its packages are there.
 */
export function sourcesUnpacker(
  { path }: Pick<ProjectConfig, 'path'>,
  { start, dataDir, environment, log }: PackedOptions,
): (() => Promise<ProjectConfig>) | undefined {
  const { bundlePath, sourceRoot } = start ?? {}
  if (bundlePath === undefined || sourceRoot === undefined) return undefined
  const file = wholePath(bundlePath)
  if (!existsSync(file)) return undefined
  return async () => {
    const root = join(dataDir, 'project')
    log.info({ root }, 'unpacking the packages of the project')
    // Left by an earlier start of the same pod.
    await rm(root, { recursive: true, force: true })
    const { unpackOwn } = await import('../artifacts/archive/unpack-own.ts')
    const signal = new AbortController().signal
    await unpackOwn(file, root, { path: environment.PATH ?? '', signal })
    return readProjectConfig(join(root, relative(sourceRoot, path)), { environment, border: root })
  }
}
