/** What starts the agent servers of deployments, and the last step of their builds. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandPath } from './command-path.ts'

/** See `scripts/bundle-server.mjs`. */
interface MadeFrom {
  from: string
  /** Paths below the checkout, each with its size and time then. */
  files: [path: string, state: string][]
}

/**
 * The script to start them with: the agent server in few files, where it was made from the sources as they are now, else
 * the CLI's door. In the package that door finds the bundle by itself.
 *
 * Measured with the bundled echo graph until it is ready, alternating: 680 ms of CPU from a thousand modules, 440 ms from the
 * bundle, and 161 and 136 MB of memory then.
 */
export function agentProgramPath(): string {
  return madeProgram('agent-program') ?? commandPath()
}

/** The script that bundles a project, in few files like the other; `undefined` where that was not made from the sources as they are. */
export function bundlerPath(): string | undefined {
  return madeProgram('bundle-command')
}

function madeProgram(name: string): string | undefined {
  const root = dirname(dirname(commandPath()))
  return isMadeFromSources(root) ? join(root, `dist/server/${name}.js`) : undefined
}

function isMadeFromSources(root: string): boolean {
  const { from, files = [] } = readRecord(join(root, 'dist/server/made-from.json'))
  return from === 'src' && files.every(([path, state]) => stateOf(join(root, path)) === state)
}

/** Empty where there is none, and where a power cut has left a part of it. */
function readRecord(path: string): Partial<MadeFrom> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as MadeFrom
  } catch {
    return {}
  }
}

function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.size} ${found.mtimeMs}` : 'missing'
}
