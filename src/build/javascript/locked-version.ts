/** Checks the LangGraph version of a lock file before anything is installed. */
import { BuildError } from '../../core/deployment/builds/build.ts'
import { OLDEST_LANGGRAPH } from '../../core/deployment/builds/langgraph.ts'
import { isObject } from '../../core/json.ts'
import { isOlder } from '../../core/package-version.ts'

const LANGGRAPH = '@langchain/langgraph'

/** A lock file, with its name. */
export interface LockFile {
  name: string
  manager: 'npm' | 'pnpm' | 'yarn' | 'bun'
  text: string
}

const ADD = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add', bun: 'bun add' } as const

/**
 * Throws `BuildError('install')` if every LangGraph in the lock file is too old: in a workspace, another member may
 * have an old one. The package manager refuses a file that cannot be read.
 */
export function checkLockedLangGraph(lock: LockFile): void {
  const versions = lockedVersions(lock)
  const oldest = OLDEST_LANGGRAPH.javascript
  if (versions.length === 0 || versions.some((version) => !isOlder(version, oldest))) return
  throw new BuildError(
    'install',
    `The project has ${LANGGRAPH} ${versions[0]} (${lock.name}), and Runyard needs ${oldest} or newer: ` +
      `run \`${ADD[lock.manager]} ${LANGGRAPH}@0.4 @langchain/core@0.3\`.`,
  )
}

/** Empty if the file is not in its manager's format. */
function lockedVersions({ manager, text }: LockFile): string[] {
  if (manager === 'npm') return versionsOfNpm(text)
  return [...text.matchAll(ENTRIES[manager])].map(([, version]) => version as string)
}

/** `  '@langchain/langgraph@1.0.0(peer@2.0.0)':`; in older files `  /@langchain/langgraph@1.0.0:`, or with a slash. */
const PNPM_ENTRY = /^ {2}['"]?\/?@langchain\/langgraph[@/](\d[^:'"(_]*)/gm

/** `"@langchain/langgraph@^1.0.0":` and below it `  version "1.0.0"`, of Berry `  version: 1.0.0`. */
const YARN_ENTRY = /^"?@langchain\/langgraph@[^\n]*:\n +version:? "?(\d[^"\n]*)/gm

/** `"@langchain/langgraph": ["@langchain/langgraph@1.0.0", …`; the binary `bun.lockb` has none of these. */
const BUN_ENTRY = /\["@langchain\/langgraph@(\d[^"]*)"/g

const ENTRIES = { pnpm: PNPM_ENTRY, yarn: YARN_ENTRY, bun: BUN_ENTRY } as const

function versionsOfNpm(text: string): string[] {
  const lock = parse(text)
  const folder = `node_modules/${LANGGRAPH}`
  const all = Object.entries(fieldsOf(lock.packages))
    .filter(([path]) => path === folder || path.endsWith(`/${folder}`))
    .map(([, one]) => one)
  // Before npm 7.
  const entries = lock.packages === undefined ? [fieldsOf(lock.dependencies)[LANGGRAPH]] : all
  const versions = entries.map((one) => fieldsOf(one).version)
  return versions.filter((version) => typeof version === 'string')
}

function parse(text: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}
