// Compares the tested versions of LangGraph and related packages with those that `npm install` and `pip install`
// give today. Fails if a newer minor version exists. It asks the registries, so no other check runs it.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { isOlder } from '../src/core/package-version.ts'
import { installPython } from '../test/support/hosts/python.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
/** How long a registry may take, in ms. */
const TIMEOUT_MS = 60_000

/** Files whose packages should be the newest. */
const NPM_FILES = [
  'package.json',
  'dashboard/package.json',
  'test/peer/deepagents/package.json',
  'test/peer/langgraph-cli/package.json',
  ...['a2a', 'agent', 'auth', 'chat-ui', 'crons', 'mcp', 'oauth', 'routes', 'store'].map(
    (name) => `examples/${name}/package.json`,
  ),
]
const PYTHON_FILES = [
  'hosts/python/requirements-dev.txt',
  'test/peer/python/requirements.txt',
  'test/peer/python-agents/requirements.txt',
]
const WATCHED = /^(@langchain\/|lang(chain|graph)|deepagents$)/

interface Tested {
  name: string
  version: string
  file: string
}

async function testedByNpm(file: string): Promise<Tested[]> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(resolve(root, file), 'utf8'))
  const all: [string, string][] = Object.entries({ ...dependencies, ...devDependencies })
  return all
    .filter(([name, version]) => WATCHED.test(name) && /^\d/.test(version))
    .map(([name, version]) => ({ name, version, file }))
}

async function testedByPython(file: string): Promise<Tested[]> {
  const lines = (await readFile(resolve(root, file), 'utf8')).split('\n')
  return lines.flatMap((line) => {
    const [, name = '', version = ''] = /^([\w.-]+)==([\w.]+)/.exec(line) ?? []
    return WATCHED.test(name) ? [{ name, version, file }] : []
  })
}

async function newestOfNpm(name: string): Promise<string> {
  const { stdout } = await run('npm', ['view', name, 'version'], { timeout: TIMEOUT_MS })
  return stdout.trim()
}

/** The versions that pip would install together: the newest of each may not fit the others. */
async function newestOfPython(names: string[]): Promise<Map<string, string>> {
  const python = await installPython(resolve(root, 'hosts/python/requirements-dev.txt'))
  const dry = ['-m', 'pip', 'install', '--dry-run', '--ignore-installed', '--quiet']
  const args = [...dry, '--report', '-', ...names]
  const { stdout } = await run(python, args, { timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 ** 2 })
  const { install } = JSON.parse(stdout) as {
    install: { metadata: { name: string; version: string } }[]
  }
  return new Map(install.map(({ metadata }) => [metadata.name, metadata.version]))
}

const minorOf = (version: string) => version.split('.').slice(0, 2).join('.')

function isBehind({ version }: Tested, newest: string | undefined): boolean {
  return newest !== undefined && isOlder(`${minorOf(version)}.0`, `${minorOf(newest)}.0`)
}

const ofNpm = (await Promise.all(NPM_FILES.map(testedByNpm))).flat()
const ofPython = (await Promise.all(PYTHON_FILES.map(testedByPython))).flat()
const names = [...new Set(ofNpm.map(({ name }) => name))]
const newest = new Map(
  await Promise.all(names.map(async (name) => [name, await newestOfNpm(name)] as const)),
)
const pythonNames = [...new Set(ofPython.map(({ name }) => name))]
const newestPython = await newestOfPython(pythonNames)

let behind = 0
for (const [tested, known] of [
  ...ofNpm.map((one) => [one, newest] as const),
  ...ofPython.map((one) => [one, newestPython] as const),
]) {
  const latest = known.get(tested.name)
  const isTooOld = isBehind(tested, latest)
  if (isTooOld) behind += 1
  if (latest === tested.version) continue
  const what = isTooOld ? 'a newer minor version' : 'a newer patch'
  console.log(`${tested.file}: ${tested.name} ${tested.version}, ${what} is ${latest}`)
}
console.log(
  behind === 0
    ? 'versions: no newer minor version than those that are tested'
    : `versions: ${behind} of ${ofNpm.length + ofPython.length} are behind by a minor version`,
)
process.exitCode = behind === 0 ? 0 : 1
