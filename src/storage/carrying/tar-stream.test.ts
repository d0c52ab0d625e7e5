/** A tar archive as a stream. */
import { arrayBuffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type Part, type ReadPart, readTar, writeTar } from './tar-stream.ts'

const PATHS = ['keys/one', 'keys/two', 'keys/three']
const BODY = Array.from({ length: 8 }, (_, i) => Buffer.alloc(100, i))

async function* parts(): AsyncGenerator<Part> {
  for (const path of PATHS) yield { path, bytes: 800, body: BODY }
}

test.each<[string, (body: ReadPart['body']) => Promise<unknown>]>([
  ['nobody reads', async () => {}],
  ['somebody begins to read', (body) => body[Symbol.asyncIterator]().next()],
  ['somebody reads', (body) => arrayBuffer(body)],
])('the part behind one that %s is found', async (_, read) => {
  const found: string[] = []
  for await (const { path, body } of readTar(writeTar(parts()))) {
    found.push(path)
    await read(body)
  }
  expect(found).toEqual(PATHS)
})
