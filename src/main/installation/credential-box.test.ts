import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createSecretBox } from '../../storage/control-plane/secret-box.ts'
import { createCredentialBox } from './credential-box.ts'

const [KEY, OTHER_KEY] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]

let parent: string
let dataDir: string
beforeEach(() => {
  parent = temporaryFolder()
  dataDir = join(parent, 'data')
})

const file = () => join(dataDir, 'encryption.key')

/** As a server makes it. */
function box(env: { encryptionKey?: Buffer; oldEncryptionKeys?: Buffer[] } = {}) {
  const { encryptionKey, oldEncryptionKeys = [] } = env
  return createCredentialBox({ dataDir, encryptionKey, oldEncryptionKeys }, createSecretBox)
}

describe('the key of a server that runs by itself', () => {
  it('is made for the first credentials, for its owner only, and kept', () => {
    const first = box()
    expect(() => first.open('v2:a:b:c:d:e', 'place')).toThrow('There is no encryption key')
    expect(existsSync(dataDir)).toBe(false)
    const sealed = first.seal('secret', 'place')
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['encryption.key'])
    const kept = readFileSync(file(), 'utf8')
    expect(box().open(sealed, 'place')).toBe('secret')
    box().seal('more', 'place')
    expect(readFileSync(file(), 'utf8')).toBe(kept)
  })

  it('is one for several processes of a data folder', () => {
    const boxes = [box(), box()]
    const sealed = boxes.map((one) => one.seal('secret', 'place'))
    for (const one of boxes)
      expect(sealed.map((text) => one.open(text, 'place'))).toEqual(['secret', 'secret'])
  })

  it('is the one of the variable where that is set; no file is made then', () => {
    const sealed = box({ encryptionKey: KEY }).seal('secret', 'place')
    expect(existsSync(dataDir)).toBe(false)
    expect(createSecretBox(KEY).open(sealed, 'place')).toBe('secret')
    const next = box({ encryptionKey: OTHER_KEY, oldEncryptionKeys: [KEY] })
    expect(next.open(sealed, 'place')).toBe('secret')
    expect(() => box({ encryptionKey: OTHER_KEY }).open(sealed, 'place')).toThrow('encrypted with')
  })

  it('is still read from the file when the variable comes later', () => {
    const sealed = box().seal('secret', 'place')
    expect(box({ encryptionKey: KEY }).open(sealed, 'place')).toBe('secret')
  })

  it('names the variable when the file cannot be made, or is empty', () => {
    writeFileSync(dataDir, '')
    const unmade = expect.objectContaining({
      code: 'unavailable',
      message: expect.stringContaining('set RUNYARD_ENCRYPTION_KEY'),
    })
    expect(() => box().seal('secret', 'place')).toThrow(unmade)
    rmSync(dataDir)
    box().seal('secret', 'place')
    writeFileSync(file(), '')
    expect(() => box().seal('secret', 'place')).toThrow('put the key back')
  })
})
