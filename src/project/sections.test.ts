import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { readProjectConfig } from './config.ts'
import { readTtlConfig, replaceSections, SECTIONS, type Sections } from './sections.ts'

const json = JSON.stringify

describe('a section of langgraph.json', () => {
  it.each<[name: string, value: object, Partial<Sections>]>([
    ['LANGGRAPH_STORE', { ttl: { default_ttl: 5 } }, { store: { ttl: { default_ttl: 5 } } }],
    ['LANGGRAPH_AUTH', { path: './b.ts:auth' }, { auth: { path: './b.ts:auth' } }],
    ['LANGGRAPH_HTTP', { disable_mcp: true }, { http: { disable_mcp: true } }],
    ['LANGGRAPH_WEBHOOKS', { env_prefix: 'MY_' }, { webhooks: { env_prefix: 'MY_' } }],
    ['LANGGRAPH_CHECKPOINTER', { ttl: {} }, { checkpointer: { ttl: {} } }],
  ])('is the one of %s, as a whole', (name, value, expected) => {
    const file = {
      store: { ttl: { default_ttl: 1, refresh_on_read: false } },
      auth: { path: './a.ts:auth', disable_studio_auth: true },
      http: { mount_prefix: '/a' },
      webhooks: { env_prefix: 'A_' },
      checkpointer: { ttl: { default_ttl: 1 } },
    }
    expect(replaceSections(file, { [name]: json(value) })).toEqual({ ...file, ...expected })
    expect(replaceSections(file, {})).toEqual(file)
  })

  it.each([
    ['{', 'LANGGRAPH_HTTP is not JSON'],
    ['[]', 'LANGGRAPH_HTTP: '],
    ['{"cors": {"max_age": "long"}}', 'LANGGRAPH_HTTP: "cors.max_age": '],
  ])('is refused as %s, by the name of the variable', (text, message) => {
    expect(() => replaceSections({}, { LANGGRAPH_HTTP: text })).toThrow(message)
  })
})

describe('LANGGRAPH_THREAD_TTL', () => {
  const ttlOf = (LANGGRAPH_THREAD_TTL: string, file: Sections = {}) =>
    replaceSections(file, { LANGGRAPH_THREAD_TTL }).checkpointer

  it('is a number of minutes, or JSON, and wins over the file', () => {
    const file = { checkpointer: { ttl: { default_ttl: 1, strategy: 'keep_latest' as const } } }
    expect(ttlOf('0.5', file)).toEqual({ ttl: { default_ttl: 0.5 } })
    const ttl = { default_ttl: 7, strategy: 'keep_latest', sweep_limit: 3 }
    expect(ttlOf(json(ttl), file)).toEqual({ ttl })
  })

  it.each(['0', '-1', 'soon', '{"strategy": "keep"}'])('is refused as %s', (text) => {
    expect(() => ttlOf(text)).toThrow('LANGGRAPH_THREAD_TTL')
  })
})

describe('CORS', () => {
  const corsOf = (env: Record<string, string>, http?: Sections['http']) =>
    replaceSections({ http }, env).http?.cors
  const named = { CORS_ALLOW_ORIGINS: 'https://a.test, https://b.test' }
  const origins = ['https://a.test', 'https://b.test']

  it('takes origins from CORS_ALLOW_ORIGINS, which may send cookies unless all may call', () => {
    expect(corsOf(named)).toEqual({ allow_origins: origins, allow_credentials: true })
    expect(corsOf({ CORS_ALLOW_ORIGINS: '*' })).toEqual({
      allow_origins: ['*'],
      allow_credentials: false,
    })
  })

  it('takes the whole from CORS_CONFIG, and the origins only where it names none', () => {
    const file = { cors: { allow_origins: ['https://file.test'] } }
    expect(corsOf(named, file)).toEqual(file.cors)
    expect(corsOf({ ...named, CORS_CONFIG: '{"max_age": 5}' }, file)).toEqual({
      max_age: 5,
      allow_origins: origins,
    })
  })
})

describe('the variables of a project', () => {
  let root: string
  beforeEach(async () => {
    root = temporaryFolder()
    await writeFile(join(root, 'agent.ts'), 'export const graph = 1')
  })

  it('count too, and those of the environment go first', async () => {
    const path = join(root, 'langgraph.json')
    const env = { MOUNT_PREFIX: '/own', LANGGRAPH_THREAD_TTL: 5 }
    await writeFile(path, json({ graphs: { agent: './agent.ts:graph' }, env }))
    const own = await readProjectConfig(path)
    expect(own.http.mountPrefix).toBe('/own')
    expect(own.ttl.defaultTtl).toEqual({ strategy: 'delete', ttl_minutes: 5 })
    const over = await readProjectConfig(path, { environment: { MOUNT_PREFIX: '/over' } })
    expect(over.http.mountPrefix).toBe('/over')
  })

  it('replace a file that is not there', async () => {
    const path = join(root, 'langgraph.json')
    const file = { graphs: { agent: './agent.ts:graph' }, auth: { path: './gone.ts:auth' } }
    await writeFile(path, json(file))
    await expect(readProjectConfig(path)).rejects.toThrow('gone.ts')
    const environment = { LANGGRAPH_AUTH: json({ path: './agent.ts:graph' }) }
    expect((await readProjectConfig(path, { environment })).auth?.path).toBe('./agent.ts')
  })
})

describe('the time to live of threads', () => {
  const read = (checkpointer: unknown) => readTtlConfig(SECTIONS.checkpointer.parse(checkpointer))

  it('is unlimited unless the file says otherwise', () => {
    const nothing = { sweepIntervalMinutes: 5, sweepLimit: 1000 }
    expect(readTtlConfig(undefined)).toEqual(nothing)
    expect(readTtlConfig(null)).toEqual(nothing)
    expect(read({ backend: 'default' })).toEqual(nothing)
    expect(read({ ttl: { strategy: 'keep_latest' } })).toEqual(nothing)
  })

  it('deletes without a strategy', () => {
    expect(read({ ttl: { default_ttl: 10 } })).toEqual({
      defaultTtl: { strategy: 'delete', ttl_minutes: 10 },
      sweepIntervalMinutes: 5,
      sweepLimit: 1000,
    })
  })

  it('can be set in every part', () => {
    const ttl = {
      strategy: 'keep_latest',
      default_ttl: 0.5,
      sweep_interval_minutes: 2,
      sweep_limit: 7,
    }
    expect(read({ ttl })).toEqual({
      defaultTtl: { strategy: 'keep_latest', ttl_minutes: 0.5 },
      sweepIntervalMinutes: 2,
      sweepLimit: 7,
    })
  })

  it.each([
    { default_ttl: 0 },
    { default_ttl: 'long' },
    { sweep_interval_minutes: -1 },
    { sweep_limit: 1.5 },
    { strategy: 'hide' },
  ])('is not %j', (ttl) => {
    expect(SECTIONS.checkpointer.safeParse({ ttl }).success).toBe(false)
  })
})
