/** `runyard artifact build`: what the Job of a build runs. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchArtifact, MARK } from '../../artifacts/fetch.ts'
import { packFolder } from '../../artifacts/pack.ts'
import { sendFile } from '../../artifacts/transfer.ts'
import { buildFetched } from '../../build/fetched-source.ts'
import type { BuilderOptions } from '../../build/options.ts'
import { systemClock } from '../../core/clock.ts'
import { BuildError } from '../../core/deployment/builds/build.ts'
import type { BuildJobEnd, BuildTask } from '../../core/deployment/builds/job.ts'
import { AppError } from '../../core/errors.ts'
import { silentLog } from '../../core/log.ts'
import { bundlePath } from '../../graph/js/bundle/write.ts'
import type { BuildConfig } from '../../settings/config.ts'
import { NO_IMAGES, ownBundler, PROJECT_CHECKS } from './build-parts.ts'

/** How much of a container's termination message the kubelet reads, in bytes. */
const MAX_SAID_BYTES = 4096

interface BuildTools {
  signal: AbortSignal
  /** Called with each line of the log. */
  say(line: string): void
}

/** Returns the end of the build, and writes it to `said`. Rejects with the signal's reason. */
export async function runBuildTask(config: BuildConfig, tools: BuildTools): Promise<BuildJobEnd> {
  const end = await build(config, tools).catch((error: unknown): BuildJobEnd => {
    tools.signal.throwIfAborted()
    return failureOf(error)
  })
  if (end.kind === 'failed') tools.say(`The step ${end.step} failed: ${end.message}`)
  await writeFile(config.said, shortened(end))
  return end
}

async function build(config: BuildConfig, { signal, say }: BuildTools): Promise<BuildJobEnd> {
  const { into, path } = config
  const task = JSON.parse(await readFile(config.task, 'utf8')) as BuildTask
  const source = join(into, 'source')
  const urls = task.source.url.split(' ')
  const order = { urls, digest: task.source.digest, into: source }
  await inStep('fetch', () => fetchArtifact(order, { signal, path, say }))
  await rm(join(source, MARK))
  const options = await optionsOf(task, config)
  const made = await buildFetched({ request: task.request, source, options, signal, say })
  const file = join(into, 'built.tar.gz')
  const { digest, bytes } = await packFolder(source, file, { bundle: made.bundle, signal })
  const url = task.uploadUrl.replace('DIGEST', digest)
  say(`Sending what was built: ${(bytes / 1e6).toFixed(1)} MB.`)
  await inStep('upload', () => sendFile(url, file, { signal, say }))
  return { kind: 'built', made, digest, bytes }
}

async function optionsOf(task: BuildTask, { into, path }: BuildConfig): Promise<BuilderOptions> {
  const { commandMs, maxMemoryBytes } = task.limits
  const { env, files, sameFiles = {} } = task.settings
  const home = join(into, 'home')
  const folder = join(into, 'settings')
  for (const one of [home, folder]) await mkdir(one, { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o600 })
  }
  const owners = {
    ...Object.fromEntries(Object.keys(files).map((name) => [name, name])),
    ...sameFiles,
  }
  const named = Object.entries(owners).map(([name, owner]) => [name, join(folder, owner)])
  return {
    // On the volume of the source: packages are linked from one to the other.
    dir: join(into, 'work'),
    ...PROJECT_CHECKS,
    env: { ...env, ...Object.fromEntries(named), PATH: path, HOME: home },
    tarballs: { use: async () => false },
    imageRefusal: NO_IMAGES,
    bundler: { command: ownBundler(), pathOf: bundlePath },
    limits: { installMs: commandMs, buildMs: commandMs, maxMemoryBytes },
    clock: systemClock,
    log: silentLog,
  }
}

async function inStep(step: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError(step, error.message, { cause: error })
  }
}

function failureOf(error: unknown): BuildJobEnd {
  if (error instanceof BuildError) {
    return { kind: 'failed', step: error.step, message: error.message }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { kind: 'failed', step: 'job', message: `The build broke off: ${message}` }
}

/** Shortens the message: JSON that the kubelet cuts off cannot be read. */
function shortened(end: BuildJobEnd): string {
  const text = JSON.stringify(end)
  const over = Buffer.byteLength(text) - MAX_SAID_BYTES
  if (over <= 0 || end.kind !== 'failed' || end.message === '') return text
  return shortened({ ...end, message: end.message.slice(0, -over) })
}
