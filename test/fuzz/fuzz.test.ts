import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { OpenApiDocument } from '../contract/document.ts'
import { fuzz } from './fuzz.ts'
import { KnownIds } from './known-values.ts'
import { expectReach, neverAccepted } from './tally.ts'

const document: OpenApiDocument = {
  paths: { '/things': { get: { responses: {} }, post: { responses: {} } } },
}

/** `hangMs`: after so long there is no answer. */
async function fuzzed(answer: RequestListener, hangMs = 60_000) {
  const server = http.createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const target = { url, document, headers: {}, ids: new KnownIds() }
    return await fuzz(target, { requests: 100, seed: 1, limitMs: 60_000, hangMs })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const json = { 'content-type': 'application/json' }

test.each<[string, string, RequestListener, number?]>([
  [
    'a failure of the server',
    'failure',
    (_, res) => res.writeHead(500, json).end('{"detail":"x"}'),
  ],
  ['an error that is not JSON', 'of type', (_, res) => res.writeHead(404).end('not here')],
  ['an error without its detail', 'detail', (_, res) => res.writeHead(400, json).end('{}')],
  ['an answer that breaks off', 'aborted', (_, res) => res.write('x', () => res.destroy())],
  ['no answer', 'no end after 200 ms', () => {}, 200],
])('finds %s', async (_, told, answer, hangMs) => {
  const failure = await fuzzed(answer, hangMs).catch((error: Error) => error)
  expect(failure).toMatchObject({
    cause: { message: expect.stringMatching(new RegExp(`${told}[^]*curl -X`)) },
  })
})

test('tells which operations took nothing', async () => {
  const tally = await fuzzed((request, response) => {
    const isRead = request.method === 'GET'
    response.writeHead(isRead ? 200 : 422, json).end(isRead ? '[]' : '{"detail":"x"}')
  })
  expect(neverAccepted(tally)).toEqual(['POST /things'])
  expect(() => expectReach(tally)).toThrow('POST /things')
})
