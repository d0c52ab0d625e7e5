import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseJson } from '../../../src/core/exact-json.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { describeIn, differing } from '../../support/agent/language.ts'
import { forAllTests } from '../../support/running.ts'

const BIG = '1234567890123456789'
/** One more: the same number to JavaScript. */
const NEXT = '1234567890123456790'
const ODD = `[${BIG},-9223372036854775808,123456789012345678901234567890,2.0,-0.0,10000000000000000.0,3,0.5]`
/** The same as JavaScript has it. */
const ROUNDED = JSON.stringify(JSON.parse(ODD))

const server = forAllTests(() => startAgentServer({ projectName: 'numbers' }))
beforeAll(async () => {
  await ask('PUT', '/store/items', `{"namespace":["numbers"],"key":"one","value":{"id":${ODD}}}`)
})

/** The text of the answer: a client in JavaScript would round it. */
async function ask(method: string, path: string, body?: string, headers = {}): Promise<string> {
  const init = { method, headers, ...(body !== undefined && { body }) }
  return await (await fetch(`${server.url}${path}`, init)).text()
}

const json = async (...asked: Parameters<typeof ask>) => parseJson(await ask(...asked))

async function createThread(metadata = '{}'): Promise<string> {
  return (await json('POST', '/threads', `{"metadata":${metadata}}`)).thread_id
}

/** With numbers in everything that a run is given. */
function runWith(given: string): string {
  return `{"assistant_id":"seen","input":{"given":${given}},"context":{"id":${given}},"metadata":{"id":${given},"one":${BIG}}}`
}

/** What comes of `ODD` on the way through a graph. */
const through = differing('numbers', { javascript: ROUNDED, python: ODD })

describe('what a run is given and what it tells', () => {
  it('is the same in the graph, its answer, the state and the history', async () => {
    const thread_id = await createThread()
    const at = `/threads/${thread_id}`
    const answer = await json('POST', `${at}/runs/wait`, runWith(ODD))
    expect(JSON.stringify(answer.made)).toBe(through)
    expect(JSON.stringify(parseJson(answer.text))).toBe(
      `{"input":${through},"configurable":${through},"context":${through},"metadata":${through},"item":{"id":${through}}}`,
    )
    expect(JSON.stringify(answer.__interrupt__[0].value)).toBe(`{"about":${through}}`)

    const state = await json('GET', `${at}/state`)
    expect(JSON.stringify(state.values.made)).toBe(through)
    const one = differing('numbers', { javascript: String(Number(BIG)), python: BIG })
    expect(JSON.stringify(state.metadata.one)).toBe(one)
    expect(JSON.stringify((await json('GET', at)).values.made)).toBe(through)
    const [latest] = await json('GET', `${at}/history?limit=1`)
    expect(JSON.stringify(latest.values.given)).toBe(through)
    const [run] = await json('GET', `${at}/runs`)
    expect(JSON.stringify(run.kwargs.input)).toBe(`{"given":${ODD}}`)
    expect(JSON.stringify(run.metadata.id)).toBe(ODD)

    const resumed = await json(
      'POST',
      `${at}/runs/wait`,
      `{"assistant_id":"seen","command":{"resume":${ODD}}}`,
    )
    expect(JSON.stringify(resumed.answer)).toBe(through)
    await ask('POST', `${at}/state`, `{"values":{"answer":{"id":${ODD}}}}`)
    const updated = await json('GET', `${at}/state`)
    expect(JSON.stringify(updated.values.answer)).toBe(`{"id":${through}}`)
    const copy = await json('POST', `${at}/copy`)
    expect(JSON.stringify(copy.values.made)).toBe(through)
  })

  it('is the same on streams, live and after they have ended', async () => {
    const thread_id = await createThread()
    const modes = '["values","updates","custom","tasks","checkpoints","debug"]'
    const body = runWith(ODD).replace('{', `{"stream_mode":${modes},"stream_resumable":true,`)
    const at = `/threads/${thread_id}/runs`
    const live = await ask('POST', `${at}/stream`, body)
    const [{ run_id }] = await json('GET', at)
    const later = await ask('GET', `${at}/${run_id}/stream`)
    for (const text of [live, later]) {
      for (const told of ['"told":', '"made":', '"given":', '"about":']) {
        expect(text).toContain(`${told}${through}`)
        expect(text.replaceAll(`${told}${through}`, '')).not.toContain(told)
      }
    }
  })

  it('is the same without a thread, and in a batch', async () => {
    const alone = await json('POST', '/runs/wait', runWith(ODD))
    expect(JSON.stringify(alone.made)).toBe(through)
    const [run] = await json('POST', '/runs/batch', `[${runWith(BIG)}]`)
    expect(JSON.stringify(run.metadata.id)).toBe(BIG)
  })

  const version = '2026-07-28'
  const modern = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'seen' }
  const claim = `"io.modelcontextprotocol/protocolVersion":"${version}","io.modelcontextprotocol/clientCapabilities":{}`
  it.each<[string, Record<string, string>, string]>([
    ['after a handshake', {}, ''],
    [`in ${version}`, modern, claim],
  ])('is the same through MCP, %s', async (_, headers, meta) => {
    const call = `{"name":"seen","arguments":{"given":${ODD}},"_meta":{${meta}}}`
    const init = {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', ...headers },
      body: `{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":${call}}`,
    }
    const text = await (await fetch(`${server.url}/mcp`, init)).text()
    const { result } = parseJson(text.slice(text.indexOf('{')))
    expect(JSON.stringify(result.structuredContent.made)).toBe(through)
    expect(text).toContain(`\\"made\\":${through}`)
  })

  it('is the same through A2A', async () => {
    const message = `{"messageId":"1","role":"user","kind":"message","parts":[{"kind":"data","data":{"given":${ODD}}}]}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":${message}}}`
    expect(await ask('POST', '/a2a/seen', body)).toContain(`"about":${through}`)
  })
})

describe('what is kept', () => {
  it('comes back from assistants, their versions and crons as it was sent', async () => {
    const config = `{"configurable":{"id":${ODD}}}`
    const fields = `"config":${config},"metadata":{"id":${ODD}}`
    const made = await json('POST', '/assistants', `{"graph_id":"seen",${fields}}`)
    expect(JSON.stringify(made.metadata)).toBe(`{"id":${ODD}}`)
    expect(JSON.stringify(made.config.configurable)).toBe(`{"id":${ODD}}`)
    const at = `/assistants/${made.assistant_id}`
    await json('PATCH', at, `{"metadata":{"id":${NEXT}}}`)
    const [, first] = await json('POST', `${at}/versions`, '{}')
    expect(JSON.stringify(first.metadata)).toBe(`{"id":${ODD}}`)

    const cron = await json(
      'POST',
      '/runs/crons',
      `{"assistant_id":"seen","schedule":"0 0 1 1 *","input":{"given":${ODD}},"metadata":{"id":${BIG}}}`,
    )
    expect(JSON.stringify(cron.payload.input)).toBe(`{"given":${ODD}}`)
    expect(JSON.stringify(cron.metadata.id)).toBe(BIG)
  })

  it('is an item, found by exactly its numbers', async () => {
    const item = await json('GET', '/store/items?namespace=numbers&key=one')
    expect(JSON.stringify(item.value)).toBe(`{"id":${ODD}}`)
    for (const [key, id] of [
      ['big', BIG],
      ['next', NEXT],
      ['float', '2.0'],
      ['list', `[${BIG},2]`],
    ]) {
      await ask('PUT', '/store/items', `{"namespace":["ids"],"key":"${key}","value":{"id":${id}}}`)
    }
    const found = async (condition: string) => {
      const body = `{"namespace_prefix":["ids"],"filter":{"id":${condition}}}`
      const { items } = await json('POST', '/store/items/search', body)
      return items.map(({ key }: { key: string }) => key).toSorted()
    }
    expect(await found(BIG)).toEqual(['big'])
    expect(await found(`{"$eq":${NEXT}}`)).toEqual(['next'])
    expect(await found(`{"$gt":${BIG}}`)).toEqual(['next'])
    expect(await found(`{"$lte":${BIG}}`)).toEqual(['big', 'float'])
    expect(await found(`{"$in":[${BIG},2]}`)).toEqual(['big', 'float'])
    expect(await found('2')).toEqual(['float'])
    expect(await found('2.0')).toEqual(['float'])
    expect(await found(`[${BIG},2.0]`)).toEqual(['list'])
    expect(await found(`[${NEXT},2]`)).toEqual([])
  })
})

describe('a search by metadata', () => {
  const ids = (list: Record<string, string>[], name: string) => list.map((one) => one[name])

  it('finds threads and runs with exactly that number', async () => {
    const thread_id = await createThread(`{"id":${BIG},"nested":{"id":${BIG}},"rate":2.0}`)
    const { run_id } = await json('POST', `/threads/${thread_id}/runs`, runWith(BIG))
    const threads = async (metadata: string) =>
      ids(await json('POST', '/threads/search', `{"metadata":${metadata}}`), 'thread_id')
    const runs = async (metadata: string) =>
      ids(await json('POST', '/runs/search', `{"metadata":${metadata}}`), 'run_id')
    for (const wanted of [`{"id":${BIG}}`, `{"nested":{"id":${BIG}}}`, `{"id":${BIG},"rate":2}`]) {
      expect(await threads(wanted)).toContain(thread_id)
    }
    expect(await threads(`{"id":${BIG},"rate":2.0}`)).toContain(thread_id)
    for (const wanted of [`{"id":${NEXT}}`, `{"nested":{"id":${NEXT}}}`, '{"rate":2.5}']) {
      expect(await threads(wanted)).not.toContain(thread_id)
    }
    expect(await runs(`{"id":${BIG}}`)).toContain(run_id)
    expect(await runs(`{"id":${NEXT}}`)).not.toContain(run_id)
  })

  it('finds assistants and crons with exactly that number', async () => {
    const ID = '9007199254740993'
    const made = `{"graph_id":"seen","metadata":{"id":${ID}}}`
    const { assistant_id } = await json('POST', '/assistants', made)
    const search = (what: string, id: string) =>
      json('POST', `/${what}/search`, `{"metadata":{"id":${id}}}`)
    expect(ids(await search('assistants', ID), 'assistant_id')).toEqual([assistant_id])
    const cron = `{"assistant_id":"seen","schedule":"0 0 1 1 *","metadata":{"id":${ID}}}`
    const { cron_id } = await json('POST', '/runs/crons', cron)
    expect(ids(await search('runs/crons', ID), 'cron_id')).toEqual([cron_id])
  })
})

describe('a number of the server’s own', () => {
  it('may be written as a float', async () => {
    const { items } = await json(
      'POST',
      '/store/items/search',
      '{"namespace_prefix":[],"limit":1.0}',
    )
    expect(items).toHaveLength(1)
    const item = '{"namespace":["ttl"],"key":"a","value":{},"ttl":5.0}'
    expect(await ask('PUT', '/store/items', item)).toBe('')
    const body = runWith('1').replace(
      '{',
      '{"after_seconds":0.0,"config":{"recursion_limit":30.0},',
    )
    expect(await json('POST', '/runs/wait', body)).toMatchObject({ made: 1 })
  })

  it('is refused with more digits than Python reads', async () => {
    const body = `{"metadata":{"id":1${'0'.repeat(4_300)}}}`
    expect(await ask('POST', '/threads', body)).toContain('4300 digits')
  })
})

describeIn('python', 'numbers')('an owner that is a number', () => {
  it('is nobody else', async () => {
    const owned = await startAgentServer({ projectName: 'numbers', configName: 'owned.json' })
    onTestFinished(() => owned.stop())
    const as = async (authorization: string, method: string, path: string, body?: string) => {
      const init = { method, headers: { authorization }, ...(body !== undefined && { body }) }
      return await (await fetch(`${owned.url}${path}`, init)).text()
    }
    const { thread_id } = JSON.parse(await as(BIG, 'POST', '/threads', '{}'))
    const at = `/threads/${thread_id}`
    await as(BIG, 'POST', `${at}/runs/wait`, runWith('1'))
    expect(await as(BIG, 'GET', at)).toContain(`"owner":${BIG}`)
    expect(await as(NEXT, 'GET', at)).toContain('not found')
    expect(await as(NEXT, 'GET', `${at}/runs`)).toContain('not found')
    expect(await as(NEXT, 'POST', '/threads/search', '{}')).toBe('[]')
    expect(JSON.parse(await as(BIG, 'POST', '/threads/search', '{}'))).toHaveLength(1)
    // A whole number of any length passes the handler.
    const huge = `{"metadata":{"id":${'9'.repeat(40)}}}`
    expect(await as(BIG, 'POST', '/threads', huge)).toContain('9'.repeat(40))
  })
})
