/** What each implementation of `ObjectStore` must do. */
import { createHash, randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { AppError } from '../../src/core/errors.ts'
import type { ObjectStore } from '../../src/core/object-store.ts'

/** `open` answers one store and the same again, empty at first. */
export function objectStoreConformance(open: () => Promise<ObjectStore>): void {
  it('keeps what comes, and answers it with its size', async () => {
    const store = await open()
    expect(await store.put('uploads/a/b.tar.gz', chunks('one ', 'and ', 'two'))).toBe(11)
    expect(await text(store, 'uploads/a/b.tar.gz')).toBe('one and two')
    expect(await store.size('uploads/a/b.tar.gz')).toBe(11)
    expect(await text(await open(), 'uploads/a/b.tar.gz')).toBe('one and two')
  })

  it('keeps what is empty', async () => {
    const store = await open()
    expect(await store.put('empty/one', chunks())).toBe(0)
    expect(await text(store, 'empty/one')).toBe('')
    expect(await store.size('empty/one')).toBe(0)
  })

  it('replaces what was there', async () => {
    const store = await open()
    await store.put('replaced', chunks('the first, which is longer'))
    await store.put('replaced', chunks('the second'))
    expect(await text(store, 'replaced')).toBe('the second')
  })

  it('knows nothing of what is not there', async () => {
    const store = await open()
    expect(await store.get('nowhere/a')).toBeUndefined()
    expect(await store.size('nowhere/a')).toBeUndefined()
    await store.remove('nowhere/a')
    expect(await store.list('nowhere/')).toEqual([])
  })

  it('lists what begins with a prefix, however deep', async () => {
    const store = await open()
    const names = ['listed/a/1', 'listed/a/2', 'listed/ab/3', 'listed/b']
    for (const name of names) await store.put(name, chunks(name))
    expect((await store.list('listed/')).toSorted()).toEqual(names)
    expect((await store.list('listed/a/')).toSorted()).toEqual(['listed/a/1', 'listed/a/2'])
  })

  it('removes one, and again', async () => {
    const store = await open()
    await store.put('removed/a', chunks('a'))
    await store.put('removed/b', chunks('b'))
    for (let i = 0; i < 2; i += 1) await store.remove('removed/a')
    expect(await store.list('removed/')).toEqual(['removed/b'])
  })

  it('keeps nothing of what ends early, and passes its error on', async () => {
    const store = await open()
    await store.put('kept', chunks('what was there'))
    for (const size of [10, PARTS]) {
      const refusal = new AppError('too_large', 'It is too large.')
      await expect(store.put('kept', broken(size, refusal))).rejects.toBe(refusal)
      await expect(store.put('never', broken(size, refusal))).rejects.toBe(refusal)
    }
    expect(await text(store, 'kept')).toBe('what was there')
    expect(await store.size('never')).toBeUndefined()
  })

  it('takes what is larger than it has in memory', async () => {
    const store = await open()
    const chunk = randomBytes(1024 * 1024)
    const [sent, received] = [createHash('sha256'), createHash('sha256')]
    async function* large() {
      for (let i = 0; i < 21; i += 1) {
        sent.update(chunk)
        yield chunk
        await turn()
      }
    }
    expect(await store.put('large', large())).toBe(21 * chunk.length)
    const found = await store.get('large')
    for await (const part of found?.body ?? []) received.update(part)
    expect(found?.bytes).toBe(21 * chunk.length)
    expect(received.digest('hex')).toBe(sent.digest('hex'))
    await store.remove('large')
  })

  it('has one of two that come under one name at once', async () => {
    const store = await open()
    await Promise.all([store.put('twice', chunks('aaa')), store.put('twice', chunks('bbb'))])
    expect(['aaa', 'bbb']).toContain(await text(store, 'twice'))
  })

  it.each(['../u', '/etc/u', 'a/../u', 'a//b', '', 'a/', '.u', 'a\0b', 'a\\b', 'x'.repeat(200)])(
    'never takes the name %j',
    async (name) => {
      const store = await open()
      const refused = { code: 'bad_request' }
      await expect(store.put(name, chunks('x'))).rejects.toMatchObject(refused)
      await expect(async () => store.get(name)).rejects.toMatchObject(refused)
      await expect(async () => store.remove(name)).rejects.toMatchObject(refused)
    },
  )
}

/** More than one part of a multipart upload. */
const PARTS = 9 * 1024 * 1024

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

async function* broken(size: number, error: Error): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(size)
  throw error
}

async function text(store: ObjectStore, name: string): Promise<string | undefined> {
  const found = await store.get(name)
  if (!found) return undefined
  const parts: Uint8Array[] = []
  for await (const part of found.body) parts.push(part)
  return Buffer.concat(parts).toString()
}
