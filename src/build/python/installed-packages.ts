/** Reads an environment's packages from folder names: running the project's Python would run its code. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  PYTHON_PACKAGES,
  type Weakness,
  weaknessOf,
} from '../../core/deployment/builds/langgraph.ts'

/** Versions by the names of packages, in lower case with hyphens. */
export async function installedPackages(environment: string): Promise<Map<string, string>> {
  const lib = join(environment, 'lib')
  const found = new Map<string, string>()
  for (const python of await readdir(lib).catch(() => [])) {
    for (const folder of await readdir(join(lib, python, 'site-packages')).catch(() => [])) {
      const [, name, version] = /^(.+)-(\d[^-]*)\.dist-info$/.exec(folder) ?? []
      if (name && version) found.set(name.toLowerCase().replace(/[_.]+/g, '-'), version)
    }
  }
  return found
}

/** Known problems of the environment's packages, each with a fix. */
export async function pythonWeaknesses(environment: string): Promise<Weakness[]> {
  const installed = await installedPackages(environment)
  return PYTHON_PACKAGES.flatMap((name) => {
    const version = installed.get(name)
    const weakness = version === undefined ? undefined : weaknessOf(name, version)
    return weakness ? [weakness] : []
  })
}
