import { mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { inspectFolder } from './inspect-folder.ts'
import { findSentFolder } from './sent-folder.ts'

let top: string
beforeEach(async () => {
  top = temporaryFolder()
  await mkdir(join(top, '.git'))
})

async function write(files: Record<string, string | object>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(top, name)), { recursive: true })
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    await writeFile(join(top, name), text)
  }
}

const graphs = { agent: './agent.py:graph' }
const find = (config?: string, dir = top) => findSentFolder(dir, config)
/** Without a folder: `config` is absolute. */
const findFrom = (config: string) => findSentFolder(undefined, join(top, config))

describe('with --config', () => {
  const CONFIG = 'apps/agent/langgraph.json'

  it('sends the folder of the file where that has all it names', async () => {
    await write({ [CONFIG]: { graphs, env: '../../.env' }, 'apps/agent/agent.py': '' })
    expect(await findFrom(CONFIG)).toEqual({
      ...{ folder: join(top, 'apps/agent'), configPath: 'langgraph.json', notes: [] },
    })
  })

  it.each<[object, string]>([
    [{ graphs: { agent: '../../src/agent.py:graph' } }, 'src/agent.py'],
    [{ graphs, dependencies: ['.', '../../src'] }, 'src'],
    [{ graphs, source: { kind: 'uv', root: '../..' } }, '.'],
    [{ graphs, auth: { path: '../../src/agent.py:auth' } }, 'src/agent.py'],
    [{ graphs, http: { app: '../../src/agent.py:app' } }, 'src/agent.py'],
    [{ graphs, pip_config_file: '../../src/pip.conf' }, 'src/pip.conf'],
  ])('sends the folder that has all of %o, and says why', async (content, named) => {
    const files = { 'src/agent.py': '', 'src/pip.conf': '', 'pyproject.toml': '', 'uv.lock': '' }
    await write({ ...files, [CONFIG]: content, 'apps/agent/agent.py': '' })
    const sent = await findFrom(CONFIG)
    expect(sent).toEqual({
      ...{ folder: top, configPath: CONFIG, notes: [`${CONFIG} needs ${named}.`] },
    })
    const { files: listed, language } = await inspectFolder(sent, { isBuilt: true })
    expect(listed.map(({ path }) => path)).toContain(`./${CONFIG}`)
    expect(language).toBe('python')
  })

  it('sends the workspace that it is a part of', async () => {
    await write({
      [CONFIG]: { graphs: { agent: './agent.ts:graph' } },
      ...{ 'apps/agent/agent.ts': '', 'apps/agent/package.json': {} },
      'package.json': { workspaces: ['apps/*'] },
    })
    expect(await findFrom(CONFIG)).toEqual({
      ...{ folder: top, configPath: CONFIG },
      notes: [`apps/agent is a part of the npm workspace ${top}.`],
    })
  })

  it('sends the package.json above that a project in TypeScript has', async () => {
    await write({
      [CONFIG]: { graphs: { agent: './agent.ts:graph' } },
      ...{ 'apps/agent/agent.ts': '', 'package.json': {} },
    })
    expect(await findFrom(CONFIG)).toMatchObject({ folder: top, configPath: CONFIG })
  })

  it('sends at least the folder that is named, and finds the file in it', async () => {
    await write({ [CONFIG]: { graphs }, 'apps/agent/agent.py': '' })
    expect(await find('agent/langgraph.json', join(top, 'apps'))).toMatchObject({
      ...{ folder: join(top, 'apps'), configPath: 'agent/langgraph.json' },
    })
  })

  it('refuses what lies outside of the repository, and a whole home', async () => {
    await write({ 'a/.git/HEAD': '', 'b.py': '' })
    await write({ 'a/langgraph.json': { graphs: { agent: '../b.py:graph' } } })
    await expect(findFrom('a/langgraph.json')).rejects.toThrow('more than the repository')
    await rm(join(top, '.git'), { recursive: true })
    const far = join(relative(top, homedir()), '..')
    await write({ 'langgraph.json': { graphs, dependencies: [far] }, 'agent.py': '' })
    await expect(findFrom('langgraph.json')).rejects.toThrow('too much to be sent')
  })
})

describe('without it', () => {
  it('sends the folder, and says of which workspace it is only a part', async () => {
    await write({ 'apps/agent/package.json': {}, 'package.json': { workspaces: ['apps/*'] } })
    const { notes, ...sent } = await find(undefined, join(top, 'apps/agent'))
    expect(sent).toEqual({ folder: join(top, 'apps/agent'), configPath: 'langgraph.json' })
    expect(notes).toEqual([expect.stringContaining(`a part of the npm workspace ${top}`)])
    expect(notes[0]).toContain('runyard deploy --config')
  })

  it('names the way out where a path leads out of the folder', async () => {
    await write({ 'a/langgraph.json': { graphs: { agent: '../b.py:graph' } }, 'b.py': '' })
    const sent = await find(undefined, join(top, 'a'))
    await expect(inspectFolder(sent, { isBuilt: true })).rejects.toThrow('runyard deploy --config')
  })

  it('says that a folder is not there', async () => {
    await expect(find(undefined, join(top, 'nowhere'))).rejects.toThrow('There is no folder')
  })
})
