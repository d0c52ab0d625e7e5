/**
 * The composition root: what `runyard up`, `serve` and `dev` build, start, print and stop. Each command
 * loads only its own parts, so that agent servers start sooner.
 */
import type { StopLimits } from './agent-server/server/agent-server.ts'
import type { Finding } from './cli/doctor/finding.ts'
import { logMark } from './core/deployment/log-source.ts'
import { AppError } from './core/errors.ts'
import { endingOf, receiveStart, stopOf } from './link/managed.ts'
import type { Reporter } from './main/carrying/reporter.ts'
import type { Running } from './main/up.ts'
import { giveMemoryBackWhenIdle, limitHeapGrowth } from './process/heap.ts'
import { aborted, PARENT_GONE, stopSignal } from './process/stop-signal.ts'
import { Watchdog } from './process/watchdog.ts'
import type {
  BackupConfig,
  BuildConfig,
  DevConfig,
  FetchConfig,
  ListenerConfig,
  MoveConfig,
  RestoreConfig,
  ServeConfig,
  UpConfig,
} from './settings/config.ts'
import { createLog } from './telemetry/log.ts'
import {
  formattedLog,
  type LineFormat,
  readableLine,
  terminalLines,
} from './telemetry/readable-log.ts'

/** How long a start waits for earlier deployments to serve before it reports `ready`, in ms. */
const SERVING_LIMIT_MS = 15_000
/** How long a start without a built dashboard waits for its build before it reports `ready`, in ms. */
const DASHBOARD_LIMIT_MS = 60_000
/** How long a driver waits for the runs of its agent server, in ms, even if the project asks for more. */
const MANAGED_GRACE_MS = 3_000
/** How long runs may take to reach a checkpoint before they are handed on, in ms. */
const CHECKPOINT_MS = 2_000
/** Time limit for a shutdown after the runs have ended, in ms; then the process exits. */
const LAST_MOMENT_MS = 25_000

/** Runs control plane, gateway and deployments until a signal; settles when all of it has stopped. */
export async function up(config: UpConfig, options: { isTiedToParent: boolean }): Promise<void> {
  giveMemoryBackWhenIdle()
  const stopping = stopSignal(options)
  const { startUp } = await import('./main/up.ts')
  const running = await startUp(config, createLog(config.logLevel, logTo(config)))
  try {
    running.buildDashboard()
    await announceUp(running, config, stopping)
    await aborted(stopping)
  } catch (error) {
    if (!stopping.aborted) throw error
  } finally {
    endAtLast()
    await running.stop()
    leaveParent()
  }
}

async function announceUp(
  running: Running,
  config: UpConfig,
  stopping: AbortSignal,
): Promise<void> {
  const { url, adminKey, isAdminKeyNew, fetch } = running
  const base = config.publicUrl ?? url
  const isForPerson = process.stdout.isTTY
  if (isAdminKeyNew && !isForPerson) {
    console.log(`admin key ${adminKey}`)
    console.log(`  (full rights; kept in ${config.dataDir}/admin.key)`)
  }
  await running.whenServing(SERVING_LIMIT_MS)
  if (config.isExampleWanted && running.isLeading()) {
    const { deployExample } = await import('./cli/deploy/deploy-example.ts')
    const { modelKeys } = config
    const failure = await deployExample({ url, adminKey, modelKeys, fetch, signal: stopping })
    if (failure) console.error(`runyard: the example agent was not deployed. ${failure}`)
  }
  const inTime = AbortSignal.any([stopping, AbortSignal.timeout(DASHBOARD_LIMIT_MS)])
  await Promise.race([running.whenDashboard(), aborted(inTime)])
  stopping.throwIfAborted()
  if (isForPerson) return announceToPerson(running, config, base)
  console.log(`ready ${base}`)
  if (config.isDashboardWanted) {
    const link = config.isInPod ? undefined : await dashboardLink(running, base)
    console.log(`dashboard ${link ?? signInByHand(base)}`)
  }
  if (config.isExampleWanted) console.log(tryIt(base, config.dataDir))
}

/** On a terminal: the link first, then the key with its purpose, then the rest. */
async function announceToPerson(
  running: Running,
  { isDashboardWanted, isExampleWanted, dataDir }: UpConfig,
  base: string,
): Promise<void> {
  if (isDashboardWanted) {
    const link = await dashboardLink(running, base)
    console.log(`\ndashboard ${link ?? signInByHand(base)}`)
    if (link !== undefined) {
      console.log('  (signs your browser in; works once, for 30 minutes; later: "runyard open")')
    }
  }
  if (running.isAdminKeyNew) {
    console.log(`\nadmin key ${running.adminKey}`)
    console.log('  (for the API, and for the command line on other machines; it has full rights;')
    console.log(`  kept in ${dataDir}/admin.key)`)
  }
  if (isExampleWanted) console.log(tryIt(base, dataDir).trimEnd())
  console.log(`\nready ${base}  (Ctrl-C stops it)`)
}

/** A link that signs in once; `undefined` if the connection is not confidential. */
async function dashboardLink(
  { adminKey, fetch }: Running,
  url: string,
): Promise<string | undefined> {
  // A server on every address also listens on this machine's loopback.
  const base = url.replace('://0.0.0.0', '://127.0.0.1').replace('://[::]', '://[::1]')
  const made = await fetch(`${base}/v2/session/link`, {
    method: 'POST',
    headers: { 'x-api-key': adminKey, host: new URL(base).host },
  })
  const link = (await made.json()) as { url?: string }
  return link.url
}

function signInByHand(base: string): string {
  return `${base}  (sign in with an API key, or with the link that "runyard open --print" makes)`
}

function tryIt(base: string, dataDir: string): string {
  return `
try it:
  curl -s ${base}/agents/example/runs/wait -H "x-api-key: $(cat ${dataDir}/admin.key)" \\
    -H 'content-type: application/json' \\
    -d '{"assistant_id":"agent","input":{"messages":[{"role":"user","content":"Hello"}]}}'
`
}

/** Serves one project until a signal, or until the runtime driver that started it asks it to stop. */
export async function serve(
  config: ServeConfig,
  options: { isManaged: boolean; isHelper: boolean },
): Promise<void> {
  limitHeapGrowth()
  giveMemoryBackWhenIdle()
  const signal = stopSignal({ isTiedToParent: false })
  const { isManaged, isHelper } = options
  const isChild = isManaged && config.startFile === undefined
  const watchdog = new Watchdog({ isManaged: isChild, logLevel: config.logLevel })
  const managed = isManaged ? await receiveStart(config.startFile, signal) : undefined
  if (signal.aborted) return leaveParent()
  const stopping = managed ? AbortSignal.any([signal, stopOf(managed)]) : signal
  const ending = managed && endingOf(managed)
  const { startServe } = await import('./main/serve.ts')
  const mark = managed && logMark(managed.start.gatewayToken)
  if (mark !== undefined) watchdog.sign(mark)
  const log = createLog(config.logLevel, logTo(config), mark)
  const onFailure = async (error: unknown) => {
    const reason = await reasonOf(error, config)
    await managed?.link.send({ type: 'failed', reason })
  }
  const terms = { ...(managed && { managed }), isHelper, watchdog, onFailure, log }
  const serving = await startServe(config, terms).catch((error: unknown) =>
    failStart(error, config),
  )
  const { url, hasOwnAuth: has_own_auth, forwardsApiKey: forwards_api_key, cors } = serving
  if (managed) {
    const { pid } = process
    const traits = { has_own_auth, forwards_api_key, checks_roles: true, ...(cors && { cors }) }
    void managed.link.send({ type: 'ready', url: url ?? '', pid, ...traits })
  } else if (url !== undefined) announceServe(url, config)
  await aborted(stopping)
  if (ending && stopping.reason !== PARENT_GONE) {
    const drainMs = await ending.released()
    if (drainMs > 0) await serving.drain(drainMs, ending.hurry)
  }
  const graceMs = managed ? Math.min(serving.graceMs, MANAGED_GRACE_MS) : serving.graceMs
  const limits: StopLimits = { graceMs, checkpointMs: CHECKPOINT_MS }
  endAtLast(graceMs)
  await serving.stop(stopping.reason === PARENT_GONE ? { graceMs: 0 } : limits)
  leaveParent()
}

function announceServe(url: string, { isDashboardWanted, publicUrl, role }: ServeConfig): void {
  console.log(`ready ${url}`)
  if (isDashboardWanted && role !== 'worker') console.error(`studio ${publicUrl ?? url}/studio`)
}

/** Throws the error again, with its places in the project. */
async function failStart(error: unknown, config: ServeConfig): Promise<never> {
  const reason = await reasonOf(error, config)
  throw error instanceof AppError ? new AppError(error.code, reason, { cause: error }) : error
}

async function reasonOf(error: unknown, { configPath }: ServeConfig): Promise<string> {
  const { describeStartFailure } = await import('./project/start-failure.ts')
  return describeStartFailure(error, configPath)
}

/** Serves one project until a signal, each version of it in a process of its own. */
export async function dev(config: DevConfig): Promise<void> {
  giveMemoryBackWhenIdle()
  const stopping = stopSignal({ isTiedToParent: false })
  const { startDev } = await import('./main/dev.ts')
  const format = lineFormat(config)
  const running = await startDev(config, {
    log: createLog(config.logLevel, logTo(config)),
    say(line) {
      const text = format ? format(line) : line
      if (text !== undefined) console.error(text)
    },
    onReady: (url) => announceServe(url, config),
  })
  await aborted(stopping)
  endAtLast()
  await running.stop()
  leaveParent()
}

/** Runs deployments for a remote control plane until a signal; agent servers keep running after it. */
export async function listener(config: ListenerConfig): Promise<void> {
  giveMemoryBackWhenIdle()
  const stopping = stopSignal({ isTiedToParent: false })
  const { startListener } = await import('./main/listener.ts')
  const log = createLog(config.logLevel, logTo(config))
  const running = await startListener(config, { signal: stopping, log }).catch((error: unknown) => {
    if (!stopping.aborted) throw error
  })
  if (!running) return
  console.log(`ready ${config.publicUrl ?? running.url}`)
  const refusal = await Promise.race([aborted(stopping), running.refused])
  endAtLast()
  await running.stop()
  if (refusal) throw refusal
}

/** Prints the findings about this machine. */
export async function doctor(config: UpConfig, options: { isJson: boolean }): Promise<void> {
  const { startDoctor } = await import('./main/doctor.ts')
  await printFindings(await startDoctor(config), options)
}

/** Exits with 0 also if it has printed why there is no bundle. */
export async function bundleProject(configPath: string): Promise<void> {
  const { bundle } = await import('./main/builds/bundle.ts')
  await bundle(configPath)
}

/** Sets the exit code 75 for a temporary failure, as `EX_TEMPFAIL` of sysexits.h. */
export async function fetchArtifact({ path, ...order }: FetchConfig): Promise<void> {
  const signal = stopSignal({ isTiedToParent: false })
  const { fetchArtifact: fetchOrder } = await import('./artifacts/fetch.ts')
  try {
    await fetchOrder(order, { signal, path, say: (line) => console.error(line) })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
    console.error(`runyard: ${error.message}`)
    process.exitCode = 75
  }
}

/** Sets the exit code 1 after a failure; the reason is in the file that `config` names. */
export async function buildArtifact(config: BuildConfig): Promise<void> {
  const signal = stopSignal({ isTiedToParent: false })
  const { runBuildTask } = await import('./main/builds/task.ts')
  const { kind } = await runBuildTask(config, { signal, say: (line) => console.log(line) })
  if (kind === 'failed') process.exitCode = 1
}

/** Sets the exit code 1 if a finding has failed. */
export async function printFindings(
  findings: Finding[],
  options: { isJson: boolean },
): Promise<void> {
  const { describeFindings } = await import('./cli/doctor/finding.ts')
  console.log(options.isJson ? JSON.stringify(findings, undefined, 2) : describeFindings(findings))
  if (findings.some(({ status }) => status === 'failed')) process.exitCode = 1
}

/** Moves everything in the databases; after Ctrl-C or a kill, the next call goes on. */
export async function move(
  config: MoveConfig,
  { replace, isJson }: { replace: boolean; isJson: boolean },
): Promise<void> {
  const { startMove } = await import('./main/carrying/move.ts')
  const moved = await reporting((reporter) => startMove(config, { replace, reporter }))
  const { from, to, databases, tables, rows } = moved
  if (isJson) return console.log(JSON.stringify(moved, undefined, 2))
  console.log(`moved ${databases} databases with ${rows} rows in ${tables} tables, all verified`)
  console.log(`  from ${from}\n  to   ${to}`)
}

/** Makes the source of a begun or finished move usable again. */
export async function undoMove(config: MoveConfig, { isJson }: { isJson: boolean }): Promise<void> {
  const { undoMove: undo } = await import('./main/carrying/move.ts')
  const databases = await undo(config)
  console.log(isJson ? JSON.stringify({ databases }) : `${databases} databases may be used again`)
}

/** Writes a backup. If the backup goes to standard output, messages go to standard error. */
export async function backup(
  config: BackupConfig,
  { withKeys, isJson }: { withKeys: boolean; isJson: boolean },
): Promise<void> {
  const { startBackup } = await import('./main/carrying/backup.ts')
  const made = await reporting((reporter) => startBackup(config, { withKeys, reporter }))
  const { where, bytes, databases, rows, files, with_keys } = made
  const say = where === undefined ? console.error : console.log
  if (isJson) return say(JSON.stringify(made, undefined, 2))
  say(`backup of ${databases} databases with ${rows} rows and ${files} files: ${bytes} bytes`)
  if (where !== undefined) say(`  ${where}`)
  if (with_keys) say('  It holds the keys: whoever reads it can read every secret.')
  else if (!config.isServe) {
    say(
      '  It does not hold the encryption key: keep RUNYARD_ENCRYPTION_KEY, or encryption.key, elsewhere.',
    )
  }
}

/** Makes an installation from a backup. */
export async function restore(
  config: RestoreConfig,
  { from, isJson }: { from: string; isJson: boolean },
): Promise<void> {
  const { startRestore } = await import('./main/carrying/restore.ts')
  const restored = await reporting((reporter) => startRestore(config, { from, reporter }))
  if (isJson) return console.log(JSON.stringify(restored, undefined, 2))
  const { to, databases, rows, files, created_at } = restored
  console.log(`restored ${databases} databases with ${rows} rows and ${files} files, all verified`)
  console.log(`  as of ${created_at}\n  to    ${to}`)
}

/** Shows the progress of `work` on standard error. */
async function reporting<T>(work: (reporter: Reporter) => Promise<T>): Promise<T> {
  const { startProgress } = await import('./cli/terminal/progress.ts')
  const { createReporter } = await import('./main/carrying/reporter.ts')
  const reporter = createReporter(startProgress())
  try {
    const result = await work(reporter)
    reporter.end(false)
    return result
  } catch (error) {
    reporter.end(true)
    throw error
  }
}

type LogSettings = Pick<UpConfig, 'logFormat'> & { isLogJson?: boolean; devHost?: unknown }

/** `undefined`: standard error, as JSON. Drivers and `dev` read it as JSON too. */
function logTo(config: LogSettings) {
  const format = config.devHost === undefined ? lineFormat(config) : undefined
  return format && formattedLog(format)
}

/** `undefined`: JSON. */
function lineFormat({ logFormat, isLogJson = true }: LogSettings): LineFormat | undefined {
  if (!isLogJson || logFormat === 'text') return readableLine
  return logFormat === 'auto' && process.stderr.isTTY ? terminalLines() : undefined
}

/** An open channel would keep this process alive. */
function leaveParent(): void {
  if (process.connected) process.disconnect()
}

/** A part that does not stop must not block the exit. */
function endAtLast(graceMs = 0): void {
  setTimeout(() => process.exit(1), graceMs + LAST_MOMENT_MS).unref()
}
