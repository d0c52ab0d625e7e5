/** Checks the LangGraph version of a lock file before anything is installed. */
import { BuildError } from '../../core/deployment/builds/build.ts'
import { OLDEST_LANGGRAPH } from '../../core/deployment/builds/langgraph.ts'
import { isOlder } from '../../core/package-version.ts'
import { readLockedPackages } from '../sources/locked-packages.ts'

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
function lockedVersions({ name, manager, text }: LockFile): string[] {
  const found = readLockedPackages(name, text)[LANGGRAPH]
  return found ?? (manager === 'npm' ? versionBeforeNpm7(text) : [])
}

function versionBeforeNpm7(text: string): string[] {
  try {
    const { packages, dependencies } = JSON.parse(text) as OldLock
    const version = packages === undefined ? dependencies?.[LANGGRAPH]?.version : undefined
    return typeof version === 'string' ? [version] : []
  } catch {
    return []
  }
}

/** As read, so any field may be of another type. */
interface OldLock {
  packages?: unknown
  dependencies?: Record<string, { version?: unknown } | undefined>
}
