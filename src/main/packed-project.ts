/** A project with packed packages beside its bundle: they are unpacked if the bundle does not work. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { wholePath } from '../artifacts/pieces.ts'
import type { Log } from '../core/log.ts'
import type { StartMessage } from '../link/messages.ts'
import { type ProjectConfig, readProjectConfig } from '../project/config.ts'
import type { Environment } from '../settings/values.ts'

interface PackedOptions {
  start: Pick<StartMessage, 'bundlePath' | 'sourceRoot'> | undefined
  /** Absolute; the project's own folder may be read-only. */
  dataDir: string
  environment: Environment
  log: Log
}

/** Returns the configuration of the unpacked project; `undefined`: nothing is packed, its packages are there. */
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
