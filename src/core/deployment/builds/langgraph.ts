/** Which versions of LangGraph and of its serializers projects may use. */
import { isOlder } from '../../package-version.ts'

/** The oldest LangGraph that works, by language. */
export const OLDEST_LANGGRAPH = { javascript: '0.2.57', python: '1.0' } as const

interface Known {
  package: string
  /** Its official id. */
  id: string
  what: string
  /** Release lines, the older first: versions from `from` on are fixed in `mended`. */
  lines: readonly { from: string; mended: string }[]
}

const KNOWN: readonly Known[] = [
  {
    package: '@langchain/core',
    id: 'CVE-2025-68665',
    what: 'its load() reveals variables of the environment',
    lines: [
      { from: '0', mended: '0.3.80' },
      { from: '1.0.0', mended: '1.1.8' },
    ],
  },
  {
    package: 'langchain-core',
    id: 'CVE-2025-68664',
    what: 'its load() reveals variables of the environment',
    lines: [
      { from: '0', mended: '0.3.81' },
      { from: '1.0.0', mended: '1.2.5' },
    ],
  },
  {
    package: 'langgraph-checkpoint',
    id: 'CVE-2025-64439',
    what: 'its serializer runs what stored JSON names',
    lines: [{ from: '0', mended: '3.0.0' }],
  },
]

/** The Python packages. */
export const PYTHON_PACKAGES = ['langchain-core', 'langgraph-checkpoint'] as const

export interface Weakness {
  /** Names the package, its version and what is wrong with it; without a full stop. */
  says: string
  /** The oldest fixed version of the same line. */
  mended: { package: string; version: string }
}

/**
 * The known weakness of a package version that reads stored values. It does not affect how Runyard reads checkpoints,
 * only a project's own calls of the package.
 */
export function weaknessOf(name: string, version: string): Weakness | undefined {
  const known = KNOWN.find((one) => one.package === name)
  const line = known?.lines.findLast(({ from }) => !isOlder(version, from))
  if (!known || !line || !isOlder(version, line.mended)) return undefined
  const says = `${name} ${version} has a known weakness (${known.id}): ${known.what}`
  return { says, mended: { package: name, version: line.mended } }
}
