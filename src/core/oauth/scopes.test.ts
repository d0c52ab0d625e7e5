import { describe, expect, it } from 'vitest'
import { missingScopes } from './scopes.ts'

describe('what a provider has granted', () => {
  it.each([
    ['all of it', ['read', 'write'], ['read', 'write'], []],
    ['less: the person did not agree to it', ['read'], ['read', 'write'], ['write']],
    ['nothing', [], ['read'], ['read']],
    ['what OpenID Connect says without repeating it', ['read'], ['openid', 'email', 'read'], []],
    ['a scope by its whole name', ['https://graph.microsoft.com/User.Read'], ['User.Read'], []],
    ['a scope of which others are parts', ['user'], ['user:email'], []],
    ['a scope under another name', ['contacts.all'], ['contacts'], []],
    [
      'mail under Google’s name, without the drive',
      ['openid', 'https://www.googleapis.com/auth/userinfo.email'],
      ['email', 'https://www.googleapis.com/auth/drive'],
      ['https://www.googleapis.com/auth/drive'],
    ],
  ])('is %s', (_, scopes, asked_scopes, missing) => {
    expect(missingScopes({ scopes, asked_scopes }, asked_scopes)).toEqual(missing)
  })

  it('has nothing that was not asked for', () => {
    const grant = { scopes: ['read'], asked_scopes: ['read'] }
    expect(missingScopes(grant, ['write', 'openid', 'read'])).toEqual(['write', 'openid'])
  })
})
