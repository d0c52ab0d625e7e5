/** The operator's settings of package registries, for builds that run elsewhere. */
import { readFile, stat } from 'node:fs/promises'
import { type BuildSettings, filesOf, isOfThisMachine } from '../../core/deployment/builds/job.ts'
import type { Log } from '../../core/log.ts'

/** Variables that name npm's settings files outside the project, which contain logins. */
const NPM_FILES = /^npm_config_(userconfig|globalconfig)$/i
/** A Secret is 1 MiB at most, and contains more than these files. */
const MAX_FILE_BYTES = 256 * 1024
const MAX_ALL_BYTES = 640 * 1024

/**
 * `env`: of this machine's builds. Files that it names are sent along, each once. Folders, unreadable and too large
 * files are left out with their variables, and logged.
 */
export async function readBuildSettings(
  env: Readonly<Record<string, string>>,
  log: Log,
): Promise<BuildSettings> {
  const kept: Record<string, string> = {}
  const files: Record<string, string> = {}
  const sameFiles: Record<string, string> = {}
  const firstNames = new Map<string, string>()
  let leftBytes = MAX_ALL_BYTES
  for (const [name, value] of Object.entries(env)) {
    const paths = NPM_FILES.test(name) ? [value] : filesOf(name, value)
    if (paths.length === 0) {
      if (!isOfThisMachine(name)) kept[name] = value
      continue
    }
    const first = firstNames.get(value)
    if (first !== undefined) {
      sameFiles[name] = first
      continue
    }
    const mostBytes = Math.min(MAX_FILE_BYTES, leftBytes)
    const text = paths.length === 1 ? await readIfSmall(value, mostBytes) : undefined
    if (text === undefined) {
      log.warn({ variable: name }, 'Builds in Jobs go without what this variable names.')
      continue
    }
    files[name] = text
    firstNames.set(value, name)
    leftBytes -= Buffer.byteLength(text)
  }
  return { env: kept, files, sameFiles }
}

async function readIfSmall(path: string, mostBytes: number): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile() || found.size > mostBytes) return undefined
  return readFile(path, 'utf8').catch(() => undefined)
}
