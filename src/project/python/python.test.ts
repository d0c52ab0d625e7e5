import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readProjectConfig } from '../config.ts'
import { pythonHostConfig } from './host-config.ts'

let root: string

beforeEach(async () => {
  root = join(temporaryFolder(), 'project')
  await put('agent.py')
})

async function put(path: string, text = ''): Promise<string> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
  return join(root, path)
}

async function read(content: object) {
  return readProjectConfig(await put('langgraph.json', JSON.stringify(content)))
}

const graphs = { agent: './agent.py:graph' }

describe('a project in Python', () => {
  it('names graphs by files and by modules, beside others', async () => {
    await put('other.ts')
    const config = await read({
      graphs: {
        ...graphs,
        made: { path: 'pkg.agents:make_graph', description: 'Made' },
        other: './other.ts:graph',
      },
    })
    expect(config.graphs).toEqual([
      {
        ...{ graph_id: 'agent', language: 'python', path: './agent.py' },
        ...{ file: join(root, 'agent.py'), exportName: 'graph', description: null },
      },
      {
        ...{ graph_id: 'made', language: 'python', path: 'pkg.agents' },
        ...{ module: 'pkg.agents', exportName: 'make_graph', description: 'Made' },
      },
      {
        ...{ graph_id: 'other', language: 'javascript', path: './other.ts' },
        ...{ file: join(root, 'other.ts'), exportName: 'graph', description: null },
      },
    ])
  })

  it('has nothing of Python where none is used', async () => {
    await put('other.ts')
    expect((await read({ graphs: { other: './other.ts:graph' } })).python).toBeUndefined()
  })

  it.each([
    ['a file without its object', { graphs: { a: './agent.py' } }, /names no export/],
    ['a file that is not there', { graphs: { a: './b.py:graph' } }, /there is no file "\.\/b\.py"/],
    ['a folder that is not there', { graphs, dependencies: ['./lib'] }, /no folder "\.\/lib"/],
    ['an old Python', { graphs, python_version: '3.9' }, /"python_version": write "3\.11"/],
    ['a patch version', { graphs, python_version: '3.12.1' }, /"python_version": write "3\.11"/],
    ['another installer', { graphs, pip_installer: 'conda' }, /"pip_installer": write "auto"/],
    ['settings of pip that are not there', { graphs, pip_config_file: 'pip.conf' }, /no file "pip/],
    ['a source that is not one of uv', { graphs, source: { kind: 'uv' } }, /no pyproject\.toml in/],
    ['components in Python', { graphs, ui: { agent: './agent.py:x' } }, /ui "agent": .* is Python/],
  ])('refuses %s', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message)
  })

  it('says what of the file is about images, or is not done', async () => {
    const { notes, image } = await read({
      graphs,
      ...{ dockerfile_lines: ['RUN true'], base_image: null, image_distro: 'wolfi' },
      checkpointer: { path: './saver.py:make', ttl: { default_ttl: 60 } },
    })
    expect(image).toEqual({
      dockerfile_lines: ['RUN true'],
      notes: [
        expect.stringMatching(
          /^langgraph\.json: "dockerfile_lines" is not used: it is about an image/,
        ),
      ],
    })
    expect(notes).toEqual([
      expect.stringMatching(/^langgraph\.json: "image_distro" is not used: .* is Debian/),
      'langgraph.json: "checkpointer.path" is not used: checkpoints are kept by the server.',
    ])
    const encryption = { path: './encryption.py:own' }
    await expect(read({ graphs, encryption })).rejects.toThrow(
      /"encryption": it would not be called/,
    )
  })

  it('finds modules in its folder and in those that it depends on', async () => {
    await put('my_agent/__init__.py')
    await put('libs/tools/pyproject.toml')
    await put('libs/tools/src/tools/__init__.py')
    const { python } = await read({
      graphs,
      python_version: '3.12-bookworm',
      dependencies: ['.', './my_agent', './libs/tools', 'langchain>=1'],
    })
    expect(python?.version).toBe('3.12')
    const [tools, src] = [join(root, 'libs/tools'), join(root, 'libs/tools/src')]
    expect(python?.paths).toEqual([root, join(root, 'my_agent'), src, tools])
    expect(python?.dependencies).toMatchObject([
      { written: '.', isPackage: false },
      { written: './my_agent', isPackage: false },
      { written: './libs/tools', isPackage: true },
      { kind: 'requirement', requirement: 'langchain>=1' },
    ])
  })
})

describe('pythonHostConfig', () => {
  const hostConfig = async (content: object) =>
    pythonHostConfig(await read(content), { isLangSmithUsed: false })

  it('has all that is Python', async () => {
    await put('auth.py')
    await put('app.py')
    await put('embed.py')
    const config = await hostConfig({
      graphs: { made: { path: 'pkg:make', description: 'Made', config: { a: 1 } }, ...graphs },
      auth: { path: './auth.py:auth', disable_studio_auth: true },
      http: { app: './app.py:app', mount_prefix: '/api', middleware_order: 'auth_first' },
      store: { index: { embed: './embed.py:embed', dims: 3 } },
    })
    expect(config).toEqual({
      graphs: {
        made: { module: 'pkg', export: 'make', description: 'Made', config: { a: 1 } },
        agent: { path: join(root, 'agent.py'), export: 'graph' },
      },
      paths: [root],
      auth: { path: join(root, 'auth.py'), export: 'auth', disable_studio_auth: true },
      app: {
        path: join(root, 'app.py'),
        export: 'app',
        enable_custom_route_auth: true,
        middleware_order: 'auth_first',
        mount_prefix: '/api',
      },
      embed: { path: join(root, 'embed.py'), export: 'embed' },
      store: { dims: 3, fields: ['$'] },
      langsmith: false,
    })
  })

  it('leaves the rest to the other host, and the embeddings of a provider to Python', async () => {
    await put('auth.ts')
    const store = { index: { embed: 'openai:text-embedding-3-small', dims: 3 } }
    const config = await hostConfig({ graphs, auth: { path: './auth.ts:auth' }, store })
    expect(config).not.toHaveProperty('auth')
    expect(config?.embed).toEqual({ provider: 'openai:text-embedding-3-small' })
  })

  it('is there for an auth alone, and not at all without Python', async () => {
    await put('auth.py')
    await put('other.ts')
    const other = { graphs: { other: './other.ts:graph' } }
    expect(await hostConfig({ ...other, auth: { path: './auth.py:auth' } })).toMatchObject({
      graphs: {},
      auth: { path: join(root, 'auth.py') },
    })
    expect(await hostConfig(other)).toBeUndefined()
  })
})
