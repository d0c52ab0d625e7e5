/** Reads the packages and versions of lock files. */
import { basename } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import type { LockedPackages } from '../../core/deployment/sources/snapshot.ts'
import { isObject } from '../../core/json.ts'

type Found = Iterable<readonly [name: string, version: string]>

const READERS: ReadonlyMap<string, (text: string) => Found> = new Map([
  ['package-lock.json', readNpm],
  ['npm-shrinkwrap.json', readNpm],
  ['pnpm-lock.yaml', (text: string) => matches(text, PNPM_ENTRY)],
  ['yarn.lock', (text: string) => matches(text, YARN_ENTRY)],
  ['bun.lock', (text: string) => matches(text, BUN_ENTRY)],
  ['uv.lock', readToml],
  ['poetry.lock', readToml],
  ['pylock.toml', readToml],
])

/** `  '@scope/name@1.0.0(peer@2.0.0)':`; in older files `  /name@1.0.0:`, or with a slash. */
const PNPM_ENTRY = /^ {2}['"]?\/?((?:@[^/\s]+\/)?[^/@\s'"]+)[@/](\d[^:'"(_\s]*)/gm

/** `"name@^1.0.0", "name@^1.1.0":` and below it `  version "1.0.0"`, of Berry `  version: 1.0.0`. */
const YARN_ENTRY = /^"?((?:@[^/\s]+\/)?[^@\s"]+)@[^\n]*:\n +version:? "?(\d[^"\n]*)/gm

/** `["name@1.0.0", …`; the binary `bun.lockb` has none of these. */
const BUN_ENTRY = /\["((?:@[^/\s"]+\/)?[^@\s"]+)@(\d[^"]*)"/g

/** Whether `readLockedPackages` knows files of this name. */
export function isLockFile(path: string): boolean {
  return READERS.has(basename(path))
}

/** Empty if the file is not in its format. */
export function readLockedPackages(path: string, text: string): LockedPackages {
  const versions = new Map<string, Set<string>>()
  for (const [name, version] of READERS.get(basename(path))?.(text) ?? []) {
    versions.set(name, (versions.get(name) ?? new Set()).add(version))
  }
  return Object.fromEntries([...versions].map(([name, found]) => [name, [...found].toSorted()]))
}

function* matches(text: string, entry: RegExp): Found {
  for (const [, name, version] of text.matchAll(entry)) {
    if (name && version) yield [name, version]
  }
}

function* readNpm(text: string): Found {
  const lock = parsed(() => JSON.parse(text))
  for (const [path, one] of Object.entries(fieldsOf(lock.packages))) {
    const name = path.split('node_modules/').at(-1)
    const { version, link } = fieldsOf(one)
    if (path.includes('node_modules/') && name && typeof version === 'string' && !link) {
      yield [name, version]
    }
  }
}

function* readToml(text: string): Found {
  const lock = parsed(() => parseToml(text))
  const packages = lock.package ?? lock.packages
  for (const one of Array.isArray(packages) ? packages : []) {
    const { name, version } = fieldsOf(one)
    if (typeof name === 'string' && typeof version === 'string') yield [name, version]
  }
}

function parsed(read: () => unknown): Record<string, unknown> {
  try {
    return fieldsOf(read())
  } catch {
    return {}
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}
