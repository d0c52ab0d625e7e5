/** The variables of a Python host: the project's own and the machine's, and none of the server's. */
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const OURS = /^(RUNYARD_|NODE_CHANNEL_|npm_)/i
/** How agents reach their control plane. A key among it is the project's own: the server's was removed before. */
const HOME = new Set(['RUNYARD_URL', 'RUNYARD_API_KEY'])

/** `all`: every variable of this process, with those of the project. `hasHome`: its agents have a control plane. */
export function hostEnvironment(
  all: Readonly<Record<string, string | undefined>>,
  { hasHome }: { hasHome: boolean },
): Record<string, string> {
  const entries = Object.entries(all).filter((entry): entry is [string, string] => {
    const [name, value] = entry
    if (value === undefined) return false
    return !OURS.test(name) || (hasHome && HOME.has(name))
  })
  return Object.fromEntries(entries)
}

/** As in a shell where this Python's environment is activated: its programs are found first. */
export function activated(env: Record<string, string>, python: string): Record<string, string> {
  const programs = dirname(python)
  const environment = dirname(programs)
  if (!existsSync(join(environment, 'pyvenv.cfg'))) return env
  const PATH = env.PATH ? `${programs}${delimiter}${env.PATH}` : programs
  return { ...env, VIRTUAL_ENV: environment, PATH }
}
