/** `runyard dev`: `serve` that reloads its project, and answers while it does. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { Reloads, specOf } from '../cli/dev/reloads.ts'
import { DevSources, FolderWatch } from '../cli/dev/sources.ts'
import { systemClock } from '../core/clock.ts'
import { readLine } from '../core/deployment/log-source.ts'
import { type Log, silentLog } from '../core/log.ts'
import { DEFAULT_WORKSPACE_ID } from '../core/people/api-key.ts'
import { Gateway } from '../gateway/gateway.ts'
import { Started } from '../process/started.ts'
import { type ProjectConfig, readProjectConfig } from '../project/config.ts'
import { createProcessDriver } from '../runtime/process/driver.ts'
import type { DevConfig } from '../settings/config.ts'
import { followCertificate, readCertificate } from './installation/certificate.ts'
import { commandPath } from './installation/command-path.ts'

/** The project's name for the gateway; never visible outside. */
const NAME = 'dev'
/** How long the last versions may take to end, in ms. */
const STOP_GRACE_MS = 10_000

interface DevOptions {
  log: Log
  /** For people: lines of the agent server, and the results of changes. */
  say(line: string): void
  /** Called once, with `http://HOST:PORT`, when the project answers for the first time. */
  onReady(url: string): void
}

/**
 * Listens, and starts the project in a process of its own. If the project cannot be loaded, it prints the
 * reason, and tries again at the next change. Throws `bad_request` when there is no `langgraph.json`, or the
 * address is not available.
 */
export async function startDev(
  config: DevConfig,
  options: DevOptions,
): Promise<{ stop(): Promise<void> }> {
  const started = new Started(options.log)
  try {
    await compose(config, options, started)
    return { stop: () => started.stop() }
  } catch (error) {
    await started.stop()
    throw error
  }
}

async function compose(config: DevConfig, options: DevOptions, started: Started): Promise<void> {
  const { log, say } = options
  const { configPath, dataDir } = config
  if (!existsSync(configPath)) await readProjectConfig(configPath)
  const root = realpathSync(dirname(configPath))
  const { VIRTUAL_ENV } = config.childEnv
  const environments = [join(root, '.venv'), ...(VIRTUAL_ENV ? [VIRTUAL_ENV] : [])]
  const sources = new DevSources({ root, dataDir, environments })
  const driver = createProcessDriver({
    command: { file: process.execPath, args: [commandPath()] },
    locate: () => ({
      // A project on the developer's own machine may use every file.
      root: parse(configPath).root,
      configPath,
      bundlePath: null,
      node: null,
      python: null,
    }),
    dataDir: () => dataDir,
    databaseUrl: async () => config.databaseUrl,
    env: config.childEnv,
    onLine: (line) => say(readLine(line).text),
    onSources: (files) => sources.add(files),
    clock: systemClock,
    log: errorsOf(log),
  })
  started.add('runtime driver', () => driver.stopAll(STOP_GRACE_MS))

  const owner = { deployment_id: NAME, workspace_id: DEFAULT_WORKSPACE_ID }
  const gateway = new Gateway({ authenticate: everybody, isKeyChecked: false, fallback: NAME, log })
  gateway.targets.pause(NAME, owner)
  const certificate = config.tls && readCertificate(config.tls)
  if (config.tls) started.add('certificate', followCertificate(gateway, config.tls, { log }))
  started.add('gateway', () => gateway.stop())
  const { host, port } = config
  const url = await gateway.start({ host, port, certificate })

  const noted = new Set<string>()
  const reloads = new Reloads({
    driver,
    sources,
    folder: dirname(configPath),
    spec: specOf(NAME, configPath),
    readConfig: () => readAndNote(configPath, noted, say).catch(() => undefined),
    onServing: ({ revision_id, endpoints }) => {
      gateway.targets.set(NAME, { ...owner, revision_id, endpoints })
    },
    onFirst: () => options.onReady(url),
    say,
  })
  const watch = new FolderWatch((path) => reloads.change(path))
  started.add('watch', () => watch.stop())
  started.add('reloads', () => reloads.stop())
  reloads.start(() => watch.follow(sources.folders()))
}

/** Prints notes on unknown or unsupported settings of the file, once each: no build does so here. */
async function readAndNote(
  configPath: string,
  noted: Set<string>,
  say: (line: string) => void,
): Promise<ProjectConfig> {
  const config = await readProjectConfig(configPath)
  for (const note of [...(config.image?.notes ?? []), ...config.notes]) {
    if (!noted.has(note)) say(`runyard: ${note}`)
    noted.add(note)
  }
  return config
}

const DEV_CALLER = { user_id: NAME, name: NAME, kind: 'user' } as const

/** The agent server itself checks keys, if there are any. */
const everybody = async () =>
  ({ ...DEV_CALLER, workspace_id: DEFAULT_WORKSPACE_ID, role: 'developer' }) as const

/** Logs errors alone: other messages of the agent server are printed for people. */
function errorsOf(log: Log): Log {
  const errors: Log = { ...silentLog, error: log.error, child: () => errors }
  return errors
}
