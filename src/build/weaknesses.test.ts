import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { writeBuilt } from './built-record.ts'
import { revisionFolder } from './layout.ts'
import { weaknessesOf } from './weaknesses.ts'

let dir: string
let source: string
beforeEach(async () => {
  dir = temporaryFolder()
  source = revisionFolder(dir, 'one').source
  await write('apps/agent/langgraph.json', '{}')
})

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(source, path)), { recursive: true })
  await writeFile(join(source, path), text)
}

async function built(python: string | null = null): Promise<void> {
  const config_path = 'apps/agent/langgraph.json'
  const artifact = {
    kind: 'folder',
    id: 'one',
    config_path,
    bundle: null,
    node_version: null,
    python,
  } as const
  await writeBuilt(dir, 'one', { artifact, repo_commit_sha: null }, '2026-01-01T00:00:00Z')
}

const says = async () => (await weaknessesOf(dir, 'one')).map((one) => one.says)

it.each([
  ['0.3.79', '0.3.80'],
  ['1.0.2', '1.1.8'],
  ['1.1.7', '1.1.8'],
])('names @langchain/core %s and what mends it', async (version, mended) => {
  await write('node_modules/@langchain/core/package.json', JSON.stringify({ version }))
  await built()
  expect(await weaknessesOf(dir, 'one')).toEqual([
    {
      says: expect.stringContaining(`@langchain/core ${version} has a known weakness`),
      mended: { package: '@langchain/core', version: mended },
    },
  ])
})

it.each(['0.3.80', '1.1.8', '1.2.13'])('has nothing to say about %s', async (version) => {
  await write('node_modules/@langchain/core/package.json', JSON.stringify({ version }))
  await built()
  expect(await says()).toEqual([])
})

it('looks at the copy that LangGraph has, where packages are kept apart', async () => {
  const store = 'node_modules/.pnpm/langgraph/node_modules/@langchain'
  await write(`${store}/langgraph/package.json`, '{"version":"1.0.2"}')
  await write(`${store}/core/package.json`, '{"version":"1.0.2"}')
  await mkdir(join(source, 'apps/agent/node_modules/@langchain'), { recursive: true })
  await symlink(
    join(source, store, 'langgraph'),
    join(source, 'apps/agent/node_modules/@langchain/langgraph'),
  )
  await built()
  expect(await says()).toEqual([expect.stringContaining('@langchain/core 1.0.2')])
})

it('names packages of Python', async () => {
  const packages = '.venv/lib/python3.11/site-packages'
  await write('.venv/bin/python', '')
  for (const name of ['langchain_core-1.0.0', 'langgraph_checkpoint-2.1.2', 'langgraph-1.0.0'])
    await write(`${packages}/${name}.dist-info/METADATA`, '')
  await built('.venv')
  expect(await says()).toEqual([
    expect.stringContaining('langchain-core 1.0.0 has a known weakness (CVE-2025-68664)'),
    expect.stringContaining('langgraph-checkpoint 2.1.2 has a known weakness (CVE-2025-64439)'),
  ])
})

it('has nothing to say about a revision that is not there', async () => {
  expect(await says()).toEqual([])
})
