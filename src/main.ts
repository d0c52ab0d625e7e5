/**
 * The composition root: what `runyard up`, `serve` and `dev` build, start, print and stop. Each
 * loads its own parts only: a deployment's process starts the sooner for it.
 */
import { once } from 'node:events'
import type { StopLimits } from './agent-server/server/agent-server.ts'
import type { DevConfig, ServeConfig, UpConfig } from './config.ts'
import {
  isStartMessage,
  type ReadyMessage,
  type StartMessage,
} from './core/deployment/runtime-protocol.ts'
import { AppError } from './core/errors.ts'
import { aborted, PARENT_GONE, stopSignal } from './main/lifecycle.ts'
import type { Serving } from './main/serve.ts'
import type { Running } from './main/up.ts'
import { Watchdog } from './main/watchdog.ts'
import { createLog } from './telemetry/log.ts'

/** How long a start waits for what was deployed before, in ms, until it says that it is ready. */
const SERVING_LIMIT_MS = 15_000
/** How long runs may go on after the signal to stop; then they are handed on. */
const STOP_LIMITS: StopLimits = { graceMs: 3_000, checkpointMs: 2_000 }
/** When everything has had its time to end, in ms after the signal, the process ends all the same. */
const LAST_MOMENT_MS = 25_000

/** Runs control plane, gateway and deployments until a signal; settles when all of it has stopped. */
export async function up(config: UpConfig, options: { isTiedToParent: boolean }): Promise<void> {
  const stopping = stopSignal(options)
  const { startUp } = await import('./main/up.ts')
  const running = await startUp(config, createLog(config.logLevel))
  try {
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
  if (isAdminKeyNew) {
    console.log(`admin key ${adminKey}`)
    console.log(`  (shown once; kept in ${config.dataDir}/admin.key)`)
  }
  await running.whenServing(SERVING_LIMIT_MS)
  if (config.isExampleWanted && running.isLeading()) {
    const { deployExample } = await import('./main/example.ts')
    const { modelKeys } = config
    const failure = await deployExample({ url, adminKey, modelKeys, fetch, signal: stopping })
    if (failure) console.error(`runyard: the example agent was not deployed. ${failure}`)
  }
  stopping.throwIfAborted()
  console.log(`ready ${base}`)
  if (config.isExampleWanted) console.log(tryIt(base, config.dataDir))
}

function tryIt(base: string, dataDir: string): string {
  return `
try it:
  curl -s ${base}/agents/example/runs/wait -H "x-api-key: $(cat ${dataDir}/admin.key)" \\
    -H 'content-type: application/json' \\
    -d '{"assistant_id":"agent","input":{"messages":[{"role":"user","content":"Hello"}]}}'
`
}

/** Serves one project until a signal; as a process driver's child, until that is gone. */
export async function serve(
  config: ServeConfig,
  options: { isManaged: boolean; isHelper: boolean },
): Promise<void> {
  const stopping = stopSignal({ isTiedToParent: false })
  const watchdog = new Watchdog({ isManaged: options.isManaged, logLevel: config.logLevel })
  const start = options.isManaged ? await startMessage(stopping) : undefined
  if (stopping.aborted) return leaveParent()
  const { startServe } = await import('./main/serve.ts')
  const log = createLog(config.logLevel)
  const { isHelper } = options
  const terms = { ...(start && { start }), isHelper, watchdog, log }
  const serving = await startServe(config, terms).catch((error: unknown) =>
    failStart(error, config, options),
  )
  if (start) process.send?.(readyMessage(serving))
  else if (serving.url !== undefined) console.log(`ready ${serving.url}`)
  await aborted(stopping)
  endAtLast()
  await serving.stop(stopping.reason === PARENT_GONE ? { graceMs: 0 } : STOP_LIMITS)
  leaveParent()
}

/** Throws it again, with the places in the project that it comes from. */
async function failStart(
  error: unknown,
  { configPath }: ServeConfig,
  { isManaged }: { isManaged: boolean },
): Promise<never> {
  const { describeStartFailure, reportStartFailure } = await import('./main/start-failure.ts')
  if (isManaged) await reportStartFailure(error, configPath)
  if (!(error instanceof AppError)) throw error
  throw new AppError(error.code, describeStartFailure(error, configPath), { cause: error })
}

function readyMessage({ url = '', hasOwnAuth, cors }: Serving): ReadyMessage {
  return { type: 'ready', url, pid: process.pid, has_own_auth: hasOwnAuth, ...(cors && { cors }) }
}

/** Serves one project until a signal, each version of it in a process of its own. */
export async function dev(config: DevConfig): Promise<void> {
  const stopping = stopSignal({ isTiedToParent: false })
  const { startDev } = await import('./main/dev.ts')
  const running = await startDev(config, {
    log: createLog(config.logLevel),
    say: (line) => console.error(line),
    onReady: (url) => console.log(`ready ${url}`),
  })
  await aborted(stopping)
  endAtLast()
  await running.stop()
  leaveParent()
}

/** Says what is right and wrong here; the exit code is 1 when something does not work, or not safely. */
export async function doctor(config: UpConfig, options: { isJson: boolean }): Promise<void> {
  const { describeFindings, examine } = await import('./main/doctor.ts')
  const findings = await examine(config)
  console.log(options.isJson ? JSON.stringify(findings, undefined, 2) : describeFindings(findings))
  if (findings.some(({ status }) => status === 'failed')) process.exitCode = 1
}

/** What the process driver sends first; `undefined` when there is none, or it is told to stop. */
async function startMessage(stopping: AbortSignal): Promise<StartMessage | undefined> {
  const first = once(process, 'message', { signal: stopping }).catch(() => [])
  const [message] = (await first) as [unknown?]
  if (isStartMessage(message) || stopping.aborted) return message as StartMessage | undefined
  throw new AppError('bad_request', '--managed is for the process driver, which sends a message.')
}

/** An open channel would keep this process alive. */
function leaveParent(): void {
  if (process.connected) process.disconnect()
}

/** A part that does not stop keeps nobody waiting for ever. */
function endAtLast(): void {
  setTimeout(() => process.exit(1), LAST_MOMENT_MS).unref()
}
