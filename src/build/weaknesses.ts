/** Known problems of the packages that a revision was built with. */
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Weakness, weaknessOf } from '../core/deployment/builds/langgraph.ts'
import { findBuilt } from './built-record.ts'
import { localProject } from './local-project.ts'
import { pythonWeaknesses } from './python/installed-packages.ts'

const CORE = '@langchain/core'

/** Problems of a build on this machine, each with a fix. `dir`: the builder's folder. */
export async function weaknessesOf(dir: string, revision_id: string): Promise<Weakness[]> {
  const built = await findBuilt(dir, revision_id, { isElsewhere: true })
  if (built?.artifact.kind !== 'folder') return []
  const { root, configPath, python } = localProject(dir, built.artifact)
  const version = await coreVersion(dirname(configPath), root)
  const ofCore = version === undefined ? undefined : weaknessOf(CORE, version)
  const ofPython = python ? await pythonWeaknesses(dirname(dirname(python.path))) : []
  return [...(ofCore ? [ofCore] : []), ...ofPython]
}

/** The version beside the project's LangGraph where a package manager keeps packages apart; else the project's own. */
async function coreVersion(folder: string, root: string): Promise<string | undefined> {
  for (let at = folder; at.startsWith(root); at = dirname(at)) {
    const packages = join(at, 'node_modules', '@langchain')
    const langgraph = await realpath(join(packages, 'langgraph')).catch(() => undefined)
    const beside = langgraph && (await versionIn(join(dirname(langgraph), 'core')))
    const version = beside ?? (await versionIn(join(packages, 'core')))
    if (version !== undefined) return version
  }
  return undefined
}

async function versionIn(folder: string): Promise<string | undefined> {
  try {
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined
  }
}
