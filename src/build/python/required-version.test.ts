import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { checkRequiredLangGraph } from './required-version.ts'

let source: string
beforeEach(() => {
  source = temporaryFolder()
})

const NOTHING = { requirementFiles: [], editables: [], requirements: [] }
const lock = (version: string) =>
  `version = 1\n\n[[package]]\nname = "langgraph-sdk"\nversion = "0.1.0"\n\n[[package]]\nname = "langgraph"\nversion = "${version}"\n`

async function checkLock(version: string): Promise<void> {
  await writeFile(join(source, 'uv.lock'), lock(version))
  await checkRequiredLangGraph({ ...NOTHING, locked: { folder: source, top: source } }, source)
}

async function checkFile(name: string, text: string): Promise<void> {
  const file = join(source, name)
  await writeFile(file, text)
  await checkRequiredLangGraph({ ...NOTHING, requirementFiles: [file] }, source)
}

it('refuses what uv.lock has, where it is too old', async () => {
  await expect(checkLock('0.6.11')).rejects.toThrow(
    'The project has LangGraph 0.6.11 (uv.lock), and Runyard needs LangGraph 1.0 or newer: ' +
      'ask for "langgraph>=1.0" in its place.',
  )
  await checkLock('1.0.0')
})

it.each([
  ['requirements.txt', 'httpx\nlanggraph==0.6.11 ; python_version > "3"\n', 'langgraph==0.6.11'],
  ['requirements.txt', 'langgraph[x] <1\n', 'langgraph<1'],
  ['requirements.txt', 'langgraph>=0.2,<0.7  # for now', 'langgraph>=0.2,<0.7'],
  ['requirements.txt', 'LangGraph~=0.6\n', 'langgraph~=0.6'],
  ['requirements.txt', 'langgraph==0.6.* \\\n  --hash=sha256:00\n', 'langgraph==0.6.*'],
  [
    'pyproject.toml',
    '[project]\ndependencies = [\n  "langgraph==0.6.11",\n]\n',
    'langgraph==0.6.11',
  ],
])('refuses what %s asks for: %j', async (name, text, told) => {
  await expect(checkFile(name, text)).rejects.toThrow(`The project has "${told}" (${name})`)
})

it('looks into the project of a package, and not at its extras', async () => {
  const project = (own: string) =>
    `[project]\ndependencies = ["httpx[http2]", "${own}"]\n[project.optional-dependencies]\nold = [\n  "langgraph<1",\n]\n`
  const check = async (own: string) => {
    await writeFile(join(source, 'pyproject.toml'), project(own))
    await checkRequiredLangGraph({ ...NOTHING, editables: [source] }, source)
  }
  await expect(check('langgraph<1')).rejects.toThrow(
    'The project has "langgraph<1" (pyproject.toml)',
  )
  await check('langgraph>=1')
})

it('refuses what langgraph.json depends on', async () => {
  const plan = { ...NOTHING, requirements: ['httpx', 'langgraph==0.6.11'] }
  await expect(checkRequiredLangGraph(plan, source)).rejects.toThrow(
    '"dependencies" of langgraph.json',
  )
})

it.each([
  'langgraph',
  'langgraph==1.0.3',
  'langgraph>=0.2',
  'langgraph>=0.6,<2',
  'langgraph<1.1',
  'langgraph!=0.9',
  'langgraph @ git+https://github.com/a/b',
  'langgraph-checkpoint==2.1.2',
  'my-langgraph==0.1',
  '# langgraph==0.1',
])('leaves %s to uv', async (line) => {
  await checkFile('requirements.txt', `${line}\n`)
})
