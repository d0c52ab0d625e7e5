/**
 * The composition root: what `runyard up`, `serve` and `dev` build, start, print and stop. Each
 * loads its own parts only: a deployment's process starts the sooner for it.
 */
import type { StopLimits } from './agent-server/server/agent-server.ts'
import type { DevConfig, ServeConfig, UpConfig } from './config.ts'
import { AppError } from './core/errors.ts'
import type { Running } from './main/up.ts'
import { receiveStart, sendFailed, sendReady } from './managed/messages.ts'
import { aborted, PARENT_GONE, stopSignal } from './process/stop-signal.ts'
import { Watchdog } from './process/watchdog.ts'
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
    const { deployExample } = await import('./cli/deploy-example.ts')
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
  const start = options.isManaged ? await receiveStart(stopping) : undefined
  if (stopping.aborted) return leaveParent()
  const { startServe } = await import('./main/serve.ts')
  const log = createLog(config.logLevel)
  const { isHelper } = options
  const terms = { ...(start && { start }), isHelper, watchdog, log }
  const serving = await startServe(config, terms).catch((error: unknown) =>
    failStart(error, config, options),
  )
  const { url, hasOwnAuth, cors } = serving
  if (start) sendReady({ url: url ?? '', has_own_auth: hasOwnAuth, ...(cors && { cors }) })
  else if (url !== undefined) console.log(`ready ${url}`)
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
  const { describeStartFailure } = await import('./project/start-failure.ts')
  const reason = describeStartFailure(error, configPath)
  if (isManaged) await sendFailed(reason)
  throw error instanceof AppError ? new AppError(error.code, reason, { cause: error }) : error
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
  const { startDoctor } = await import('./main/doctor.ts')
  const { describeFindings } = await import('./doctor/finding.ts')
  const findings = await startDoctor(config)
  console.log(options.isJson ? JSON.stringify(findings, undefined, 2) : describeFindings(findings))
  if (findings.some(({ status }) => status === 'failed')) process.exitCode = 1
}

/** An open channel would keep this process alive. */
function leaveParent(): void {
  if (process.connected) process.disconnect()
}

/** A part that does not stop keeps nobody waiting for ever. */
function endAtLast(): void {
  setTimeout(() => process.exit(1), LAST_MOMENT_MS).unref()
}
