import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openS3Objects } from '../../src/artifacts/s3-objects.ts'
import { parseS3Address } from '../../src/core/s3-address.ts'
import { objectStoreConformance } from '../conformance/object-store.ts'
import { NO_S3_SERVER, type S3Server, startS3Server } from '../support/control-plane/s3-server.ts'

/** This test alone knows its prefix. */
const prefix = `tests/${randomUUID()}`
let server: S3Server
beforeAll(async () => {
  if (!NO_S3_SERVER) server = await startS3Server()
})
afterAll(() => server?.stop())

const open = (below = prefix) => {
  const address = parseS3Address(server.url(below), { region: 'us-east-1' })
  return openS3Objects(address, { credentials: server.credentials })
}
const title = `an S3-compatible store${NO_S3_SERVER ? ` (skipped: ${NO_S3_SERVER})` : ''}`

describe.skipIf(NO_S3_SERVER)(title, () => {
  objectStoreConformance(() => open())

  it('signs addresses under which anybody reads one object', async () => {
    const store = await open()
    await store.put('signed/a', bytes('what is signed'))
    const url = await store.signedUrl?.('signed/a', 60_000)
    const answer = await fetch(String(url))
    expect(await answer.text()).toBe('what is signed')
  })

  it('keeps what has another prefix apart', async () => {
    await (await open(`${prefix}/one`)).put('a', bytes('one'))
    const other = await open(`${prefix}/other`)
    expect(await other.size('a')).toBeUndefined()
    expect(await other.list('')).toEqual([])
  })

  it('says where it cannot be reached, without its keys', async () => {
    const text = 's3://bucket?endpoint=http://127.0.0.1:1'
    const address = parseS3Address(text, { region: 'us-east-1' })
    const store = await openS3Objects(address, { credentials: server.credentials })
    const refusal = await store.size('a').catch((error: Error) => error)
    expect(refusal).toMatchObject({ code: 'unavailable' })
    expect(String(refusal)).toContain('the bucket bucket at http://127.0.0.1:1')
    expect(String(refusal)).not.toContain(server.credentials.secretAccessKey)
    await expect(store.put('a', bytes('b'))).rejects.toMatchObject({ code: 'unavailable' })
  })
})

async function* bytes(text: string) {
  yield Buffer.from(text)
}
