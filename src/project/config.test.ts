import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { AppError } from '../core/errors.ts'
import { checkProjectConfig, readProjectConfig } from './config.ts'

let root: string

beforeEach(async () => {
  root = temporaryFolder()
  await mkdir(join(root, 'project/src'), { recursive: true })
  await writeFile(join(root, 'project/src/agent.ts'), '')
  await writeFile(join(root, 'outside.ts'), '')
})

/** `border`: the folder that paths may not leave, from the top of what is made here. */
async function read(content: unknown, border = 'project') {
  const path = join(root, 'project/langgraph.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return readProjectConfig(path, { border: join(root, border) })
}

const refusal = (message: RegExp) =>
  expect.objectContaining({
    constructor: AppError,
    code: 'bad_request',
    message: expect.stringMatching(message),
  })

describe('keys of callers', () => {
  it.each([
    [undefined, false],
    [{}, false],
    [{ forward_api_key: true }, true],
    [{ configurable_headers: { includes: ['X-Api-Key'] } }, true],
    [{ configurable_headers: { includes: ['authorization'] } }, true],
    [{ configurable_headers: { includes: ['x-*', 'user-agent'] } }, false],
    [{ forward_api_key: false, configurable_headers: { includes: ['x-api-key'] } }, false],
  ])('%j are seen: %s', async (http, forwardsApiKey) => {
    const config = await read({ graphs: { a: './src/agent.ts:g' }, http })
    expect(config.http.forwardsApiKey).toBe(forwardsApiKey)
    const note = expect.stringContaining('asks for the API keys of its callers')
    expect(config.notes).toEqual(forwardsApiKey ? [note] : [])
  })
})

describe('readProjectConfig', () => {
  it('reads both forms of a graph, in order, and notes what it does not know', async () => {
    const config = await read({
      graphs: {
        b: './src/agent.ts:graph',
        a: { path: 'src/agent.ts:default', description: 'An agent', color: 'red' },
      },
      node_version: '24',
      dockerfile_lines: ['RUN true'],
    })
    expect(config.root).toBe(join(root, 'project'))
    expect(config.node_version).toBe('24')
    expect(config.env).toEqual({})
    expect(config.notes).toEqual([expect.stringContaining('"graphs.a.color" is not a key')])
    const file = join(root, 'project/src/agent.ts')
    expect(config.graphs).toEqual([
      {
        ...{ graph_id: 'b', language: 'javascript', path: './src/agent.ts', file },
        ...{ exportName: 'graph', description: null },
      },
      {
        ...{ graph_id: 'a', language: 'javascript', path: 'src/agent.ts', file },
        ...{ exportName: 'default', description: 'An agent' },
      },
    ])
  })

  it('reads a file that begins with a byte order mark', async () => {
    const config = await read(`\uFEFF${JSON.stringify({ graphs: { a: './src/agent.ts:g' } })}`)
    expect(config.graphs).toHaveLength(1)
  })

  it('reads no device that langgraph.json leads to', async () => {
    await symlink('/dev/zero', join(root, 'langgraph.json'))
    await expect(readProjectConfig(join(root, 'langgraph.json'))).rejects.toEqual(
      refusal(/langgraph\.json is not read: it is no file\.$/),
    )
  })

  it('says which file is missing, and where', async () => {
    await expect(readProjectConfig(join(root, 'langgraph.json'))).rejects.toEqual(
      refusal(/There is no langgraph\.json in .*runyard-/),
    )
  })

  it.each([
    ['a comma too many', '{\n  "graphs": {},\n}', /langgraph\.json is not JSON: .*line 3 column 1/],
    ['an early end', '{\n  "graphs": {', /langgraph\.json is not JSON: .*line 2 column 14/],
    ['an empty file', '', /langgraph\.json is not JSON: .*line 1 column 1/],
    ['a list', [], /langgraph\.json: write a JSON object with "graphs"/],
    ['no graphs', {}, /"graphs": write \{"<name>": "\.\/<file>:<export>"/],
    ['empty graphs', { graphs: {} }, /"graphs": it is empty; write/],
    ['a graph that is a number', { graphs: { a: 1 } }, /"graphs\.a": write "\.\/<file>:<export>"/],
    [
      'a graph without path',
      { graphs: { a: { description: 'x' } } },
      /"graphs\.a": write .*"path": …/,
    ],
    [
      'a graph without export',
      { graphs: { a: './src/agent.ts' } },
      /graph "a": "\.\/src\/agent\.ts" names no export; write/,
    ],
    [
      'a graph in another language',
      { graphs: { a: './src/agent.rb:graph' } },
      /graph "a": "\.\/src\/agent\.rb" is no file of TypeScript, JavaScript or Python/,
    ],
    [
      'a graph whose file does not exist',
      { graphs: { a: './src/missing.ts:graph' } },
      /graph "a": there is no file "\.\/src\/missing\.ts"/,
    ],
    ['a graph that is a folder', { graphs: { a: './src/x.ts:graph' } }, /there is no file/],
    [
      'a path that climbs out',
      { graphs: { a: '../outside.ts:graph' } },
      /"\.\.\/outside\.ts" leads out of what is deployed/,
    ],
    [
      'a path that climbs out and ends nowhere',
      { graphs: { a: './src/../../nowhere.ts:graph' } },
      /leads out of what is deployed/,
    ],
    ['an absolute path', { graphs: { a: '/etc/agent.ts:graph' } }, /is an absolute path; write it/],
    ['an env that is a number', { graphs: { a: './src/agent.ts:g' }, env: 1 }, /"env": write the/],
    [
      'a node_version that is a list',
      { graphs: { a: './src/agent.ts:g' }, node_version: [] },
      /"node_version": write a version such as "24"/,
    ],
    [
      'a header with a line break',
      { graphs: { a: './src/agent.ts:g' }, http: { cors: { expose_headers: ['a\nb'] } } },
      /"http\.cors\.expose_headers\.0": write names as HTTP has them/,
    ],
  ])('refuses %s', async (_, content, message) => {
    await mkdir(join(root, 'project/src/x.ts'))
    await expect(read(content)).rejects.toEqual(refusal(message))
  })

  it('refuses a link that leads out of the source, be it the file or a folder above it', async () => {
    await symlink(join(root, 'outside.ts'), join(root, 'project/link.ts'))
    await symlink(root, join(root, 'project/up'))
    const leadsOut = refusal(/leads out of what is deployed/)
    await expect(read({ graphs: { a: './link.ts:graph' } })).rejects.toEqual(leadsOut)
    await expect(read({ graphs: { a: './up/outside.ts:graph' } })).rejects.toEqual(leadsOut)
  })

  it('follows a link inside the folder, and a folder that is itself a link', async () => {
    await symlink(join(root, 'project/src/agent.ts'), join(root, 'project/link.ts'))
    await symlink(join(root, 'project'), join(root, 'current'))
    await read({ graphs: { a: './link.ts:graph' } })
    const config = await readProjectConfig(join(root, 'current/langgraph.json'))
    expect(config.root).toBe(join(root, 'project'))
    expect(config.graphs[0]).toHaveProperty('file', join(root, 'project/src/agent.ts'))
  })

  it('reads env from a file, a map or a list, and does without a file that is not there', async () => {
    const graphs = { a: './src/agent.ts:graph' }
    await writeFile(join(root, 'project/.env'), '# a comment\nA=1\nexport B="two words"\n')
    expect((await read({ graphs, env: '.env' })).env).toEqual({ A: '1', B: 'two words' })
    expect((await read({ graphs, env: { A: 1, B: true, C: 'c' } })).env).toEqual({
      A: '1',
      B: 'true',
      C: 'c',
    })
    expect((await read({ graphs, env: ['A=b=c', 'FROM_OUTSIDE'] })).env).toEqual({ A: 'b=c' })
    const missing = await read({ graphs, env: '.env.missing' })
    expect(missing.env).toEqual({})
    expect(missing.envFile).toBe(join(root, 'project/.env.missing'))
    expect(missing.notes).toEqual([expect.stringContaining('".env.missing" is not there')])
  })

  it('takes paths that lead up, as far as the top of the source', async () => {
    await writeFile(join(root, '.env'), 'A=1')
    const content = { graphs: { a: '../outside.ts:graph' }, env: '../.env' }
    await expect(read(content)).rejects.toEqual(refusal(/"\.\.\/outside\.ts" leads out/))
    const { graphs, env, notes } = await read(content, '.')
    expect(graphs[0]).toHaveProperty('file', join(root, 'outside.ts'))
    expect({ env, notes }).toEqual({ env: { A: '1' }, notes: [] })
  })

  it('names no border where none is given: a project on the own machine may lead anywhere', async () => {
    const path = join(root, 'project/langgraph.json')
    await writeFile(path, JSON.stringify({ graphs: { a: '../outside.ts:graph' } }))
    const { graphs } = await readProjectConfig(path)
    expect(graphs[0]).toHaveProperty('file', join(root, 'outside.ts'))
  })

  it('does not read an env file outside of the source, by a path or by a link, and goes on', async () => {
    await writeFile(join(root, '.env'), 'A=1')
    await symlink(join(root, '.env'), join(root, 'project/link'))
    for (const env of ['../.env', 'link', '/etc/hostname', '../../nowhere/.env']) {
      const config = await read({ graphs: { a: './src/agent.ts:graph' }, env })
      expect(config.env).toEqual({})
      expect(config.notes).toEqual([expect.stringContaining(`"env": "${env}" lies outside`)])
    }
  })
})

describe('what is not known or not done', () => {
  const graphs = { a: './src/agent.ts:graph' }

  it.each([
    [{ dependancies: ['.'] }, '"dependancies"', '"dependencies"?'],
    [{ enviroment: {} }, '"enviroment"', '"env"?'],
    [
      { http: { cors: { allow_origin: [] } } },
      '"http.cors.allow_origin"',
      '"http.cors.allow_origins"?',
    ],
    [{ store: { idx: {} } }, '"store.idx"', '"store.index"?'],
    [{ store: { ttl: { default: 3 } } }, '"store.ttl.default"', '"store.ttl.default_ttl"?'],
    [
      { webhooks: { url: { require_http: true } } },
      '"webhooks.url.require_http"',
      'require_https"?',
    ],
    [{ auth: { pth: 'x' } }, '"auth.pth"', '"auth.path"?'],
    [{ package_manager: 'uv' }, '"package_manager"', 'remove it'],
  ])('names the unknown key of %o, and the one that was meant', async (more, key, meant) => {
    const { notes } = await read({ graphs, ...more })
    expect(notes).toEqual([expect.stringContaining(key)])
    expect(notes[0]).toContain(meant)
  })

  it('says nothing of keys that it knows, or that tools read', async () => {
    const { notes } = await read({
      $schema: 'https://x.example',
      graphs,
      env: { ANY: '1' },
      ui: {},
    })
    expect(notes).toEqual([])
  })

  it.each([
    [{ store: { path: './s.py:x' } }, '"store.path" is not used'],
    [{ checkpointer: { backend: 'mongo' } }, '"checkpointer.backend" is not used'],
    [{ auth: { allow_langsmith_api_keys: true } }, '"auth.allow_langsmith_api_keys" is not used'],
    [{ env: { POSTGRES_URI_CUSTOM: 'x' } }, 'POSTGRES_URI_CUSTOM is not used'],
    [{ docker_compose_file: 'x' }, '"docker_compose_file" is not used'],
  ])('says that nothing comes of %o', async (more, note) => {
    expect((await read({ graphs, ...more })).notes).toEqual([expect.stringContaining(note)])
  })

  it('names a misspelt key where the one that is needed is missing', async () => {
    await expect(read({ grahps: graphs })).rejects.toEqual(
      refusal(/"grahps" is not a key: did you mean "graphs"\?/),
    )
  })
})

describe('checkProjectConfig', () => {
  it('answers what a build needs, and refuses the same', async () => {
    await read({ graphs: { a: './src/agent.ts:graph' }, node_version: 22 })
    const path = join(root, 'project/langgraph.json')
    expect(await checkProjectConfig(path)).toEqual({
      ...{ node_version: '22', needsNode: true, hasJsModules: true, pythonFiles: [], notes: [] },
    })
    await writeFile(path, '{}')
    await expect(checkProjectConfig(path)).rejects.toEqual(refusal(/"graphs"/))
  })

  it('does without files that a build will make, as long as they lie in the project', async () => {
    const path = join(root, 'project/langgraph.json')
    const write = (file: string) =>
      writeFile(path, JSON.stringify({ graphs: { a: `${file}:graph` } }))
    await write('./dist/agent.js')
    await expect(checkProjectConfig(path)).rejects.toEqual(refusal(/there is no file/))
    await checkProjectConfig(path, { isBuilt: false })
    await write('../dist/agent.js')
    const place = { isBuilt: false, border: join(root, 'project') }
    await expect(checkProjectConfig(path, place)).rejects.toEqual(refusal(/leads out/))
  })
})
