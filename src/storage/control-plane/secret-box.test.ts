import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSecretBox } from './secret-box.ts'

const PLACE = 'deployment/1/secrets'

describe('a secret box', () => {
  const box = createSecretBox(randomBytes(32))

  it.each(['', 'sk-test', 'ключ 🔑', 'x'.repeat(100_000)])('gives back what it sealed', (plain) => {
    expect(box.open(box.seal(plain, PLACE), PLACE)).toBe(plain)
  })

  it('writes the version, the key’s id and three parts, nothing readable', () => {
    const sealed = box.seal('plain text', PLACE)
    expect(sealed).toMatch(/^v1:[\w-]{8}:[\w-]{16}:[\w-]{22}:[\w-]{14}$/)
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

  it.each([2, 3, 4])('does not open when part %i was changed or cut', (part) => {
    const parts = box.seal('some text', PLACE).split(':')
    const flipped = parts[part]?.startsWith('A') ? 'B' : 'A'
    const changed = parts.with(part, `${flipped}${parts[part]?.slice(1)}`).join(':')
    expect(() => box.open(changed, PLACE)).toThrow(/does not open/)
    const cut = parts.with(part, parts[part]?.slice(0, 6) ?? '').join(':')
    expect(() => box.open(cut, PLACE)).toThrow(/does not open/)
  })

  it.each(['', '[]', 'v2:a:b:c:d', 'v1:a:b:c'])('does not take %j for a sealed text', (text) => {
    expect(() => box.open(text, PLACE)).toThrow(/not sealed in the form v1/)
  })
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
