/** The agent server of a process: its store, its project, and their setup. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { given } from '../agent-server/operations/given.ts'
import { AgentServer, type StopLimits } from '../agent-server/server/agent-server.ts'
import type { AgentStore } from '../core/agent/agent-store.ts'
import { systemClock } from '../core/clock.ts'
import type { LogControl, LogLevel } from '../core/log.ts'
import type { CorsConfig } from '../core/network/cors.ts'
import { noNotices } from '../core/notices.ts'
import type { CredentialBox } from '../core/secret-box.ts'
import { graphEnvironment } from '../graph/js/environment.ts'
import type { SchemasPlace } from '../graph/js/host.ts'
import { checkProjectPackages } from '../graph/js/modules/langgraph-package.ts'
import { ProcessEnds } from '../graph/js/patches/process-ends.ts'
import { builtSchemasPath } from '../graph/js/schemas/kept.ts'
import type { OnStep } from '../link/follow-driver.ts'
import { startHomeProxy } from '../link/home-proxy.ts'
import type { StartMessage } from '../link/messages.ts'
import type { Started } from '../process/started.ts'
import type { Watchdog } from '../process/watchdog.ts'
import { type ProjectConfig, readProjectConfig } from '../project/config.ts'
import {
  readCount,
  readHasSourceMaps,
  readLogLevel,
  readPatchesOff,
  readStandingWebhooks,
  readTimeMs,
} from '../project/variables.ts'
import { applyProjectEnvironment, readEnvironment, type ServeConfig } from '../settings/config.ts'
import type { Environment } from '../settings/values.ts'
import { openAgentStore } from '../storage/agent/store.ts'
import { createSecretBox } from '../storage/control-plane/secret-box.ts'
import { LazyAgentMetrics } from '../telemetry/agent-metrics.ts'
import { readVersion } from '../version.ts'
import { agentServerSettings, openDoor } from './agent-server-settings.ts'
import { createCredentialBox } from './installation/credential-box.ts'
import { openProject, sourcesUnpacker } from './project.ts'
import { openTelemetry } from './tracing.ts'
import type { ProcessNotices } from './workers.ts'

export interface Opening {
  config: ServeConfig
  /** The process driver's message; `undefined` when run by hand. */
  start: StartMessage | undefined
  /** Whether it is a worker of the `serve` that has started it. */
  isHelper: boolean
  /** Between the processes of one `serve`; `undefined`: this is its only one. */
  notices: ProcessNotices | undefined
  /** Notes the node that is called last. */
  watchdog: Pick<Watchdog, 'note'>
  /** Collects the parts to close. */
  started: Started<StopLimits>
  /** Called with each step of the start. */
  onStep: OnStep
  log: LogControl
}

export interface Opened {
  /** Not started yet. */
  agentServer: AgentServer
  metrics: LazyAgentMetrics
  /** Whether the project has its own auth. */
  hasOwnAuth: boolean
  /** Whether the project asks for the API keys of its callers. */
  forwardsApiKey: boolean
  /** `http.cors` of the project. */
  cors: CorsConfig | undefined
  /** How long runs go on when the server stops, in ms. */
  graceMs: number
}

/** Opens the store and loads the project. */
export async function openAgentServer(opening: Opening): Promise<Opened> {
  const { config, start, watchdog, started, onStep, log } = opening
  const { sourceRoot } = start ?? {}
  const environment = { ...readEnvironment(), ...start?.secrets }
  const border = sourceRoot === undefined ? {} : { border: sourceRoot }
  const projectConfig = await readProjectConfig(config.configPath, { environment, ...border })
  // A deployment has these notes in the log of its build.
  if (!start) for (const note of await notesOn(projectConfig)) log.warn({}, note)
  const homeUrl = await openHome(opening)
  const env = applyEnvironment(projectConfig, { start, homeUrl })
  const logLevel = readLogLevel(env)
  if (logLevel) log.setLevel(logLevel)
  const { tracer, sendMetrics } = await openTelemetry(serviceName(start), { started, env, log })
  const standingWebhooks = readStandingWebhooks(env)
  const areSent = !projectConfig.http.disabled.has('webhooks')
  const store = await openStore(opening, {
    maxAttempts: readCount(env, 'BG_JOB_MAX_RETRIES'),
    ...(areSent && { standingWebhooks }),
  })
  const patchesOff = readPatchesOff(env)
  const ends = new ProcessEnds(log)
  if (!patchesOff.includes('process-ends')) ends.start()
  started.add('process ends', () => ends.stop())
  const { bundlePath } = start ?? {}
  const { dataDir } = config
  const unpackSources = sourcesUnpacker(projectConfig, { start, dataDir, environment, log })
  const settings = agentServerSettings(config, projectConfig, env)
  const { isLangSmithUsed, langSmithProject } = settings
  const { stop, ...loaded } = await openProject(projectConfig, {
    ...{ isLangSmithUsed, langSmithProject, patchesOff, onStep, log },
    ...(bundlePath !== undefined && { bundlePath, hasSourceMaps: readHasSourceMaps(env) }),
    ...(unpackSources && { unpackSources }),
    schemas: schemasPlace(opening, projectConfig),
    ...given({ recursionLimit: readCount(env, 'LANGGRAPH_DEFAULT_RECURSION_LIMIT') }),
    python: pythonOptions(opening, { env, logLevel, hasHome: homeUrl !== undefined }),
  })
  // A stop that leaves no time to runs leaves none to the project.
  started.add('project', ({ graceMs }) => stop(graceMs === 0 ? 0 : undefined))
  const hasOwnAuth = loaded.host.auth !== undefined
  const metrics = new LazyAgentMetrics({ store, clock: systemClock })
  sendMetrics(metrics)
  const agentServer = new AgentServer({
    ...settings,
    ...openDoor(config, { isManaged: start !== undefined, hasOwnAuth }),
    ...loaded,
    ...(start && {
      gatewayToken: start.gatewayToken,
      revisionId: start.revision_id,
      deploymentId: start.deployment_id,
    }),
    onNode: watchdog.note,
    store,
    metrics,
    tracer,
    version: readVersion(),
    clock: systemClock,
    log,
  })
  const { cors, forwardsApiKey } = projectConfig.http
  const graceMs = readTimeMs(env, 'BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS')
  return { agentServer, metrics, hasOwnAuth, forwardsApiKey, cors, graceMs }
}

/** A deployment's schemas come from its build; if an older build has none, the first request waits for them. */
function schemasPlace({ config, start, isHelper }: Opening, { path }: ProjectConfig): SchemasPlace {
  if (start && config.devHost === undefined) return { builtAt: builtSchemasPath(path) }
  return { keptAt: join(config.dataDir, 'schemas.json'), isReadAhead: !isHelper }
}

/** Notes for the author of a project that no build has checked. */
async function notesOn(config: ProjectConfig): Promise<string[]> {
  const { image, notes } = config
  return [...(image?.notes ?? []), ...notes, ...(await checkProjectPackages(config))]
}

function pythonOptions(
  { config, start }: Opening,
  rest: { env: Environment; logLevel: LogLevel | undefined; hasHome: boolean },
) {
  const { env, logLevel = config.logLevel, hasHome } = rest
  const { pythonProcesses: processes } = config
  const path = start?.pythonPath
  const named = { OTEL_SERVICE_NAME: serviceName(start), ...env }
  return { processes, logLevel, env: named, hasHome, ...(path !== undefined && { path }) }
}

/** The name in its spans and those of a Python host, unless the environment sets one. */
function serviceName(start: StartMessage | undefined): string {
  return start?.deployment_name ?? 'runyard'
}

/** Returns the URL at which agents reach their control plane; `undefined`: they have none. */
async function openHome({ config, start, started }: Opening): Promise<string | undefined> {
  const home = start?.home ?? config.home
  if (!home) return undefined
  const proxy = await startHomeProxy(home)
  started.add('home proxy', () => proxy.stop())
  return proxy.url
}

/** Returns all variables that are then set. */
function applyEnvironment(
  project: ProjectConfig,
  { start, homeUrl }: { start: StartMessage | undefined; homeUrl: string | undefined },
): Environment {
  const ofHome = homeUrl !== undefined && { RUNYARD_URL: homeUrl }
  return applyProjectEnvironment(project.env, {
    ...start?.secrets,
    ...ofHome,
    ...graphEnvironment(project),
  })
}

async function openStore(
  opening: Opening,
  options: Parameters<typeof openAgentStore>[1],
): Promise<AgentStore> {
  const { config, start, notices, started, onStep } = opening
  const url = start?.databaseUrl ?? config.databaseUrl
  await onStep(url === undefined ? 'opens its database' : `connects to ${placeOf(url)}`)
  const box = credentialBox(opening)
  const store = await openAgentStore(url ?? databaseFile(config), { ...options, box })
  started.add('store', () => store.close())
  // A database with notices of its own reaches servers of other machines too.
  return notices && store.notices === noNotices ? { ...store, notices } : store
}

/** `undefined`: an older control plane sends no key. A key of its own would be lost with its container. */
function credentialBox({ config, start }: Opening): CredentialBox | undefined {
  if (start?.dataKey !== undefined) return createSecretBox(Buffer.from(start.dataKey, 'base64'))
  if (start && config.devHost === undefined) return undefined
  return createCredentialBox(config, createSecretBox)
}

/** The database's name without the password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `the database ${host}${pathname}`
}

function databaseFile({ dataDir }: ServeConfig): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return join(dataDir, 'agent.db')
}
