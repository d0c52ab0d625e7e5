import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSecretBox } from './secret-box.ts'

const PLACE = 'deployment/1/secrets'

describe('a secret box', () => {
  const box = createSecretBox(randomBytes(32))

  it.each(['', 'sk-test', 'ключ 🔑', 'x'.repeat(100_000)])('gives back what it sealed', (plain) => {
    expect(box.open(box.seal(plain, PLACE), PLACE)).toBe(plain)
  })

  it('writes the version, the key’s id, a key of its own and three parts, nothing readable', () => {
    const sealed = box.seal('plain text', PLACE)
    expect(sealed).toMatch(/^v2:[\w-]{8}:[\w-]{80}:[\w-]{16}:[\w-]{22}:[\w-]{14}$/)
    expect(sealed).not.toContain('plain')
  })

  it('never seals the same text the same way', () => {
    expect(box.seal('a', PLACE)).not.toBe(box.seal('a', PLACE))
  })

  it('names its key: the same key the same id, another key another one', () => {
    const key = randomBytes(32)
    const keyId = (sealed: string) => sealed.split(':')[1]
    const id = keyId(createSecretBox(key).seal('a', PLACE))
    expect(keyId(createSecretBox(Buffer.from(key)).seal('b', PLACE))).toBe(id)
    expect(keyId(box.seal('a', PLACE))).not.toBe(id)
  })

  it('writes only the wrapped key anew when the installation’s key has changed', () => {
    const own = createSecretBox(randomBytes(32))
    const before = own.seal('some text', PLACE)
    own.changeKey(randomBytes(32))
    const after = own.reseal(before, PLACE)
    const [, keyBefore, wrappedBefore, ...contentBefore] = before.split(':')
    const [, keyAfter, wrappedAfter, ...contentAfter] = after.split(':')
    expect(contentAfter).toEqual(contentBefore)
    expect([keyAfter, wrappedAfter]).not.toEqual([keyBefore, wrappedBefore])
    expect(after.startsWith(own.sealedPrefix)).toBe(true)
    expect(own.open(after, PLACE)).toBe('some text')
    expect(() => own.reseal(after, 'deployment/2/secrets')).toThrow(/does not open/)
  })

  it('opens the older form, and gives it a key of its own', () => {
    const key = Buffer.alloc(32, 7)
    // Written by the previous version.
    const older = 'v1:kFRdjtTe:493K9zts4gIi6NHc:IgzzemtzRQIcuB1gnjK6vw:Dpc-Hg9tG9loXrU'
    const own = createSecretBox(key)
    expect(own.open(older, PLACE)).toBe('from before')
    expect(own.open(own.reseal(older, PLACE), PLACE)).toBe('from before')
    expect(own.reseal(older, PLACE).startsWith(own.sealedPrefix)).toBe(true)
  })

  it('does not open what was sealed for another place', () => {
    const refusal = expect.objectContaining({
      code: 'internal',
      message: expect.stringContaining('deployment/2/secrets does not open'),
    })
    expect(() => box.open(box.seal('a', PLACE), 'deployment/2/secrets')).toThrow(refusal)
  })

  it('says which variable to set when the key is another one', () => {
    const sealed = createSecretBox(randomBytes(32)).seal('a', PLACE)
    expect(() => box.open(sealed, PLACE)).toThrow(/RUNYARD_ENCRYPTION_KEY/)
  })

  it.each([2, 3, 4, 5])('does not open when part %i was changed or cut', (part) => {
    const parts = box.seal('some text', PLACE).split(':')
    const flipped = parts[part]?.startsWith('A') ? 'B' : 'A'
    const changed = parts.with(part, `${flipped}${parts[part]?.slice(1)}`).join(':')
    expect(() => box.open(changed, PLACE)).toThrow(/does not open/)
    const cut = parts.with(part, parts[part]?.slice(0, 6) ?? '').join(':')
    expect(() => box.open(cut, PLACE)).toThrow(/does not open/)
  })

  it.each(['', '[]', 'v3:a:b:c:d:e', 'v2:a:b:c:d', 'v1:a:b:c'])(
    'does not take %j for a sealed text',
    (text) => {
      expect(() => box.open(text, PLACE)).toThrow(/not encrypted in the form v2/)
    },
  )
})

describe('createSecretBox', () => {
  it.each([0, 16, 31, 33])('refuses a key of %i bytes and says how to make one', (bytes) => {
    const refusal = expect.objectContaining({
      code: 'bad_request',
      message: expect.stringMatching(/RUNYARD_ENCRYPTION_KEY.*openssl rand -base64 32/s),
    })
    expect(() => createSecretBox(randomBytes(bytes))).toThrow(refusal)
  })
})
