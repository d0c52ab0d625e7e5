/** Checks which LangGraph a Python project requires, before anything is installed. */
import { basename, join, relative } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { OLDEST_LANGGRAPH } from '../../core/deployment/builds/langgraph.ts'
import { isOlder } from '../../core/package-version.ts'
import { readSourceFile } from '../source-file.ts'
import type { PythonPlan } from './plan.ts'

const PYPROJECT = 'pyproject.toml'

const OLDEST = OLDEST_LANGGRAPH.python

/**
 * Throws `BuildError('install')` where `uv.lock`, a file of requirements or `dependencies` of `langgraph.json` leave
 * no LangGraph that works. `source`: its top folder, links resolved.
 */
export async function checkRequiredLangGraph(plan: PythonPlan, source: string): Promise<void> {
  const { locked, requirementFiles, editables, requirements } = plan
  const nameOf = (file: string) => relative(source, file)
  if (locked) {
    const file = join(locked.top, 'uv.lock')
    const versions = lockedVersions((await readSourceFile(source, file)) ?? '')
    const [version] = versions
    if (version !== undefined && versions.every((one) => isOlder(one, OLDEST))) {
      refuse(`LangGraph ${version} (${nameOf(file)})`)
    }
  }
  const projects = editables.map((folder) => join(folder, PYPROJECT))
  for (const file of [...requirementFiles, ...projects]) {
    const text = (await readSourceFile(source, file)) ?? ''
    const tooOld = findTooOld(basename(file) === PYPROJECT ? dependenciesIn(text) : text)
    if (tooOld) refuse(`"${tooOld}" (${nameOf(file)})`)
  }
  const tooOld = requirements.map(findTooOld).find((one) => one !== undefined)
  if (tooOld) refuse(`"${tooOld}" ("dependencies" of langgraph.json)`)
}

function refuse(what: string): never {
  throw new BuildError(
    'install',
    `The project has ${what}, and Runyard needs LangGraph ${OLDEST} or newer: ` +
      `ask for "langgraph>=${OLDEST}" in its place.`,
  )
}

function lockedVersions(lock: string): string[] {
  const packages = lock.matchAll(/^name = "langgraph"\nversion = "([^"]+)"/gm)
  return [...packages].map(([, version]) => version as string)
}

/** The list of `[project]`; extras and groups may ask for what they like. */
function dependenciesIn(pyproject: string): string {
  return /^dependencies *= *\[(.*?)\] *$/ms.exec(pyproject)?.[1] ?? ''
}

/** The first LangGraph requirement in the text that no working version can meet. */
function findTooOld(text: string): string | undefined {
  const found = text.matchAll(
    /(?:^|[[,])[\s"']*langgraph(?:\[[^\]]*\])? *\(?((?:[=<>!~]=?=? *[\w.*+!]+[ ,]*)+)/gim,
  )
  for (const [, specifiers = ''] of found) {
    if (specifiers.split(',').some(isTooOld)) return `langgraph${specifiers.trim()}`
  }
  return undefined
}

function isTooOld(specifier: string): boolean {
  const [, operator, version = ''] = /^ *(===?|~=|<=?) *([\d.]+)/.exec(specifier) ?? []
  if (operator === undefined) return false
  return operator === '<' ? !isOlder(OLDEST, version) : isOlder(version, OLDEST)
}
