import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { importLater, requireLater } from './later-package.ts'

const require = createRequire(import.meta.url)
/** Not a literal, so that nobody looks for it before it is imported. */
const missing = ['@nobody', 'has-this'].join('/')
const SENTENCE =
  '@nobody/has-this is not installed, which Runyard needs to walk. The first npm start of a clone adds it beside the running server: wait for that, or run node scripts/prepare.mjs in the clone, and start again.'

describe('a package that is added after the first start', () => {
  it('is handed on where it is there', async () => {
    expect(await importLater('to walk', () => import('node:path'))).toHaveProperty('join')
    expect(requireLater('to walk', () => require('node:path'))).toHaveProperty('join')
  })

  it('is named, with what to do, while it is not', async () => {
    const said = `Cannot find package '${missing}' imported from /nowhere/a.ts`
    const error = Object.assign(new Error(said), { code: 'ERR_MODULE_NOT_FOUND' })
    await expect(importLater('to walk', () => Promise.reject(error))).rejects.toThrow(SENTENCE)
    expect(() => requireLater('to walk', () => require(missing))).toThrow(
      expect.objectContaining({ code: 'unavailable', message: SENTENCE }),
    )
  })

  it('leaves what else goes wrong as it is', async () => {
    const failure = new Error('It is broken.')
    await expect(importLater('to walk', () => Promise.reject(failure))).rejects.toBe(failure)
  })
})
