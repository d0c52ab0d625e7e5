/**
 * The Node that a project runs on. `node_version` "22", "24" and "26" each mean one exact version. It is installed
 * once, beside the builds, and shared by all revisions that ask for it.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { isFile } from '../is-file.ts'
import { nodeFolder, unfinishedFolder } from '../layout.ts'
import { runStep, type StepContext } from '../step.ts'

interface PinnedNode {
  version: string
  /** Of the npm packages `node-<platform>-<arch>`, from the registry. */
  integrity: Readonly<Record<string, string>>
}

const PINNED: Readonly<Record<string, PinnedNode>> = {
  '22': {
    version: '22.23.3',
    integrity: {
      'linux-x64':
        'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
      'linux-arm64':
        'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
    },
  },
  '24': {
    version: '24.21.0',
    integrity: {
      'linux-x64':
        'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
      'linux-arm64':
        'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
  },
  '26': {
    version: '26.10.0',
    integrity: {
      'linux-x64':
        'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
      'linux-arm64':
        'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    },
  },
}

const VALUES = '"22", "24" or "26"; "20", or nothing, stands for the Node of Runyard itself'
const OWN_VERSION = process.versions.node
const PLATFORM = `${process.platform}-${process.arch}`

/**
 * Returns the exact version to install, or `null` for Runyard's own Node: for its own major version, for "20", which is
 * past its end of life, and if none is named. Throws `BuildError('configuration')` for anything else, and if npm has
 * none for this machine.
 */
export function chooseNode(
  node_version: string | undefined,
  say: (line: string) => void,
): string | null {
  if (node_version === undefined || node_version === '20' || node_version === ownMajor()) {
    say(`Node: ${OWN_VERSION}, Runyard's own (${asked(node_version)}).`)
    return null
  }
  const pinned = PINNED[node_version]
  if (!pinned) {
    throw new BuildError(
      'configuration',
      `langgraph.json: "node_version": there is no "${node_version}"; write ${VALUES}.`,
    )
  }
  if (!(PLATFORM in pinned.integrity)) {
    throw new BuildError(
      'configuration',
      `langgraph.json: "node_version": there is no Node ${node_version} for ${PLATFORM}; ` +
        `write "${ownMajor()}".`,
    )
  }
  say(`Node: ${pinned.version} (${asked(node_version)}).`)
  return pinned.version
}

/** Installs the version if it is missing. Throws `BuildError('install')`. */
export async function installNode(
  version: string,
  dir: string,
  npm: string,
  context: StepContext,
): Promise<void> {
  if (await hasNode(dir, version)) return
  const at = join(unfinishedFolder(dir), randomUUID())
  await mkdir(at, { recursive: true, mode: 0o700 })
  try {
    await writeLockedProject(at, version)
    const title = `npm ci ${packageName()}@${version}`
    const place = { cwd: at, limitMs: context.limits.installMs, title }
    await runStep(
      'install',
      [npm, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
      place,
      context,
    )
    await mkdir(nodeFolder(dir), { recursive: true, mode: 0o700 })
    await rename(at, nodeFolder(dir, version)).catch(() => replaceBroken(at, dir, version))
  } finally {
    await rm(at, { recursive: true, force: true })
  }
}

/** The folder exists: another build has installed it meanwhile, or it is incomplete. */
async function replaceBroken(at: string, dir: string, version: string): Promise<void> {
  if (await hasNode(dir, version)) return
  await rm(nodeFolder(dir, version), { recursive: true, force: true })
  await rename(at, nodeFolder(dir, version))
}

/** The binary of an installed version. */
export function nodePath(dir: string, version: string): string {
  return join(nodeFolder(dir, version), 'node_modules', packageName(), 'bin', 'node')
}

async function hasNode(dir: string, version: string): Promise<boolean> {
  return isFile(nodePath(dir, version))
}

/** With a lock file, npm takes nothing but the package with this hash. */
async function writeLockedProject(at: string, version: string): Promise<void> {
  const pinned = Object.values(PINNED).find((one) => one.version === version)
  const project = { name: 'node', private: true, dependencies: { [packageName()]: version } }
  const lock = {
    name: 'node',
    lockfileVersion: 3,
    packages: {
      '': project,
      [`node_modules/${packageName()}`]: { version, integrity: pinned?.integrity[PLATFORM] },
    },
  }
  await writeFile(join(at, 'package.json'), JSON.stringify(project))
  await writeFile(join(at, 'package-lock.json'), JSON.stringify(lock))
}

function asked(node_version: string | undefined): string {
  return node_version === undefined
    ? 'langgraph.json names no "node_version"'
    : `"node_version": "${node_version}"`
}

function ownMajor(): string {
  return OWN_VERSION.split('.')[0] ?? ''
}

function packageName(): string {
  return `node-${PLATFORM}`
}
