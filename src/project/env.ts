/** `env` of `langgraph.json`: the project's variables, from a file or as written. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { Language } from '../core/deployment/artifacts/artifact.ts'
import type { Environment } from '../settings/values.ts'
import { readTextFile } from './files.ts'
import type { ReadingConfig } from './module-spec.ts'
import { isInside, isMissing } from './path.ts'

export interface ProjectEnv {
  /**
   * The variables, from the file or as written. They are defaults: the environment overrides them. Empty if the file
   * does not exist, since projects keep it out of the repository.
   */
  env: Record<string, string>
  /** The named file, which need not exist; absolute. `undefined`: none is named. */
  envFile: string | undefined
}

export const EnvEntry = z.union(
  [
    z.string(),
    z.array(z.string()),
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  ],
  'write the name of a file (".env"), a map of names and values, or a list of "NAME=value"',
)

interface EnvReading extends ReadingConfig {
  /** The language whose rules a file follows. */
  language: Language
  /** Values for `${NAME}` in a file. */
  environment: Environment
}

/** `notes`: a sentence if the file is not read. */
export async function readProjectEnv(
  reading: EnvReading,
  env: z.infer<typeof EnvEntry> | null | undefined,
): Promise<ProjectEnv & { notes: string[] }> {
  if (typeof env === 'string') return readEnvFile(reading, env)
  const pairs = Array.isArray(env) ? pairsOf(env) : Object.entries(env ?? {})
  const values = pairs.map(([key, value]) => [key, String(value)])
  return { env: Object.fromEntries(values), envFile: undefined, notes: [] }
}

/** A bare name only declares that the project uses the variable: it sets nothing. */
function pairsOf(list: string[]): [string, string][] {
  return list
    .filter((item) => item.includes('='))
    .map((item) => [item.slice(0, item.indexOf('=')), item.slice(item.indexOf('=') + 1)])
}

/** A file that lies elsewhere is no mistake: a deployment has its variables as secrets. */
async function readEnvFile(
  reading: EnvReading,
  written: string,
): Promise<ProjectEnv & { notes: string[] }> {
  const { root, name, language, environment } = reading
  const path = resolve(root, written)
  const without = (why: string) => ({
    ...{ env: {}, envFile: path },
    notes: [
      `${name}: "env": "${written}" ${why}: variables come from the environment alone (in a deployment: its secrets).`,
    ],
  })
  if (!(await isInside(reading, written))) {
    return without('lies outside of what is deployed and is not read')
  }
  const found = await stat(path).catch((cause) => {
    if (!isMissing(cause)) throw cause
  })
  if (!found) return without('is not there')
  if (found.isDirectory()) return without('is a folder and is not read')
  const env = await parseEnvFile(await readTextFile(path), language, environment)
  return { env, envFile: path, notes: [] }
}

/**
 * The variables of such a file, read as python-dotenv does for Python and `dotenv` for JavaScript, like the official
 * tools. `environment`: values for `${NAME}` besides variables of the file, in Python only.
 */
export async function parseEnvFile(
  text: string,
  language: Language,
  environment: Environment,
): Promise<Record<string, string>> {
  if (language === 'python') {
    const { parsePythonEnv } = await import('./python-env.ts')
    return parsePythonEnv(text, environment)
  }
  const { default: dotenv } = await import('dotenv')
  return dotenv.parse(text)
}
