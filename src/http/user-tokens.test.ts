import { randomBytes, randomUUID } from 'node:crypto'
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { SkippingClock } from '../../test/support/control-plane/control-plane.ts'
import { AUDIENCE, startOidcIssuer } from '../../test/support/oauth/oidc-issuer.ts'
import { forAllTests } from '../../test/support/running.ts'
import { DEFAULT_WORKSPACE_ID } from '../core/people/api-key.ts'
import type { UserTokenSettings } from '../core/people/user-token.ts'
import { createSecretBox } from '../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../storage/control-plane/store.ts'
import { createAuthenticate } from './keys.ts'
import { createVerifyUserToken } from './user-tokens.ts'

const BLUE = randomUUID()

const issuer = forAllTests(startOidcIssuer)
const store = forAllTests(() => openControlPlaneStore(':memory:', createSecretBox(randomBytes(32))))
beforeAll(async () => {
  await store.workspaces.insert({ id: BLUE, name: 'Blue', created_at: '2026-11-20T12:00:00.000Z' })
})

const clock = new SkippingClock()

/** Answers whom the token stands for, with these settings and headers. */
function principalOf(
  token: string,
  change: Partial<UserTokenSettings> = {},
  headers: Record<string, string> = {},
  at = clock,
) {
  const settings = {
    issuer: issuer.url,
    audience: AUDIENCE,
    roleClaim: 'groups',
    roles: { platform: 'admin', dev: 'developer' } as const,
    workspaceClaim: undefined,
    client: undefined,
    clockSkewMs: 30_000,
    ...change,
  }
  const verifyUserToken = createVerifyUserToken(settings, { ...store, clock: at })
  const authenticate = createAuthenticate({ apiKeys: store.apiKeys, clock: at, verifyUserToken })
  return authenticate(new Headers({ authorization: `Bearer ${token}`, ...headers }))
}

describe('a signed user token', () => {
  it('stands for its subject, with the role of its claim, in the first workspace', async () => {
    const token = await issuer.token('anna', { groups: 'dev', email: 'anna@example.org' })
    expect(await principalOf(token)).toEqual({
      user_id: 'user:anna',
      name: 'anna@example.org',
      kind: 'user',
      workspace_id: DEFAULT_WORKSPACE_ID,
      role: 'developer',
    })
  })

  it('has the highest role of several, also from within an object and by a name with dots', async () => {
    const groups = ['other', 'dev', 'platform']
    const inside = await issuer.token('anna', { realm: { groups } })
    expect(await principalOf(inside, { roleClaim: 'realm.groups' })).toMatchObject({
      role: 'admin',
    })
    const roleClaim = 'https://example.org/groups'
    const dotted = await issuer.token('bert', { [roleClaim]: groups })
    expect(await principalOf(dotted, { roleClaim })).toMatchObject({ role: 'admin', name: 'bert' })
  })

  it('is refused without a role, unless there is one for everybody', async () => {
    const token = await issuer.token('cleo', { groups: ['constructor', 'nobody'] })
    await expect(principalOf(token)).rejects.toMatchObject({ code: 'forbidden' })
    const roles = { '*': 'viewer' } as const
    expect(await principalOf(token, { roles })).toMatchObject({ role: 'viewer' })
  })

  it('leads into the workspaces of its claim: the first, or the one of X-Tenant-Id', async () => {
    const workspaceClaim = 'workspaces'
    const workspaces = [BLUE.toUpperCase(), DEFAULT_WORKSPACE_ID]
    const token = await issuer.token('anna', { groups: 'dev', workspaces })
    const into = (id?: string) =>
      principalOf(token, { workspaceClaim }, id ? { 'x-tenant-id': id } : {})
    expect(await into()).toMatchObject({ workspace_id: BLUE })
    expect(await into(DEFAULT_WORKSPACE_ID)).toMatchObject({ workspace_id: DEFAULT_WORKSPACE_ID })
    await expect(into(randomUUID())).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('leads nowhere without a workspace, or into one that is not there', async () => {
    const workspaceClaim = 'workspaces'
    for (const workspaces of [undefined, [], randomUUID()]) {
      const token = await issuer.token('bert', { groups: 'dev', workspaces })
      await expect(principalOf(token, { workspaceClaim })).rejects.toMatchObject({
        code: 'forbidden',
      })
    }
  })

  it('is taken until it has expired, and as long again as clocks may differ', async () => {
    const token = await issuer.token('anna', { groups: 'dev' })
    const at = new SkippingClock()
    at.skip(610_000)
    await expect(principalOf(token, {}, {}, at)).resolves.toBeDefined()
    at.skip(30_000)
    await expect(principalOf(token, {}, {}, at)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('expired'),
    })
  })

  it('is refused when it is meant for somebody else', async () => {
    const token = await issuer.token('anna', { groups: 'dev' }, 'https://other.test')
    await expect(principalOf(token)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('aud'),
    })
  })

  it.each([[null], [''], [' '], [7], [['anna']]])('is refused with the subject %j', async (sub) => {
    const token = await issuer.token('anna', { groups: 'platform', sub })
    await expect(principalOf(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('is refused when it was changed, or not signed by the issuer', async () => {
    const token = await issuer.token('anna', { groups: 'dev' })
    const [header, payload = '', signature] = token.split('.')
    const claims = { ...JSON.parse(atob(payload)), groups: 'platform' }
    const changed = [header, btoa(JSON.stringify(claims)).replace(/=+$/, ''), signature].join('.')
    const { privateKey } = await generateKeyPair('RS256')
    const sign = (alg: string, key: Parameters<SignJWT['sign']>[0]) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: 'of-the-tests' }).sign(key)
    const forged = await sign('RS256', privateKey)
    const symmetric = await sign('HS256', randomBytes(32))
    const unsigned = `${new UnsecuredJWT(claims).encode()}x`
    const foreign = await new SignJWT({ ...claims, iss: 'https://other.test' })
      .setProtectedHeader({ alg: 'RS256' })
      .sign(privateKey)
    for (const bad of [changed, forged, symmetric, unsigned, foreign, 'eyJ.e30.x', 'eyJh.a.b']) {
      await expect(principalOf(bad)).rejects.toMatchObject({ code: 'unauthenticated' })
    }
  })

  it('has to wait while the issuer does not answer, or is not what it says', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const sign = (iss: string) =>
      new SignJWT({ iss, sub: 'anna', aud: AUDIENCE, groups: 'dev' })
        .setProtectedHeader({ alg: 'RS256' })
        .setExpirationTime('1h')
        .sign(privateKey)
    for (const iss of ['http://127.0.0.1:9', `${issuer.url}/`]) {
      await expect(principalOf(await sign(iss), { issuer: iss })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(iss),
      })
    }
  })
})
