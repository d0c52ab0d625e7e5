import { describe, expect, it } from 'vitest'
import { aFolder, FakeBuilder } from '../../../test/support/control-plane/fake-builder.ts'
import { NO_REGISTRY, PULLER, startRegistry } from '../../../test/support/control-plane/registry.ts'
import { forAllTests } from '../../../test/support/running.ts'
import type { Artifact } from '../../core/deployment/artifacts/artifact.ts'
import { type Log, silentLog } from '../../core/log.ts'
import { parseIpRange } from '../../core/network/ip-range.ts'
import { createGuardedFetch } from '../../webhook/guarded-fetch.ts'
import { createRegistryClient } from './client.ts'
import { createPushedBuilder } from './pushed-builder.ts'
import { createWays } from './ways.ts'

const skipped = NO_REGISTRY ? ` (skipped: ${NO_REGISTRY})` : ''

describe.skipIf(NO_REGISTRY)(`the image that was pushed for a revision${skipped}`, () => {
  const registry = forAllTests(() => startRegistry({ hasLogins: true }))
  const keeping = forAllTests(() => startRegistry({ hasLogins: true, removes: false }))

  const folder = (image_uri: string): Artifact => ({ ...aFolder('r1'), image_uri })

  /** The revision `r1`, and an image in the registry; `artifactOf`: what was built, by that image. */
  async function world(artifactOf = folder, { at = registry, login = PULLER, team = 'team' } = {}) {
    const repository = `team/${crypto.randomUUID()}/built`
    const digest = await at.put(repository, 'r1')
    const prefix = `${at.host}/${team}`
    const own = { url: `http://${prefix}`, prefix, login }
    const outgoing = createGuardedFetch({ allowed: parseIpRange('loopback') ?? [] })
    const client = createRegistryClient(createWays({ own, ownOutgoing: outgoing, outgoing }))
    const warnings: unknown[] = []
    const log: Log = { ...silentLog, warn: (fields) => warnings.push(fields) }
    const builder = new FakeBuilder()
    const artifact = artifactOf(`${at.host}/${repository}@${digest}`)
    builder.built.set('r1', { artifact, repo_commit_sha: null })
    return {
      ...{ builder, warnings },
      pushed: createPushedBuilder(builder, { own, registry: client, log }),
      isThere: async () => (await at.digestOf(repository, 'r1')) !== undefined,
    }
  }

  it.each(['prune', 'remove'] as const)('goes with the revision on %s', async (removal) => {
    const { pushed, builder, isThere, warnings } = await world()
    expect(await isThere()).toBe(true)
    await pushed[removal]('r1')
    expect(await isThere()).toBe(false)
    expect(builder.built.size).toBe(0)
    expect(warnings).toEqual([])
  })

  it('may be gone already: a process died after the first half', async () => {
    const { pushed, builder, warnings } = await world()
    const built = await pushed.find('r1')
    await pushed.prune('r1')
    if (built) builder.built.set('r1', built)
    await pushed.prune('r1')
    expect(builder.built.size).toBe(0)
    expect(warnings).toEqual([])
  })

  it('stays where somebody has deployed it as an image, or outside of the operator’s folder', async () => {
    const image = await world((image_uri) => ({ kind: 'image', image_uri }))
    await image.pushed.remove('r1')
    const elsewhere = await world(folder, { team: 'another' })
    await elsewhere.pushed.remove('r1')
    for (const { isThere, builder } of [image, elsewhere]) {
      expect(await isThere()).toBe(true)
      expect(builder.built.size).toBe(0)
    }
  })

  it('does not hold the revision where the registry keeps it, and the log says why', async () => {
    const login = { ...PULLER, password: 'wrong' }
    const kept = await world(folder, { at: keeping })
    const refused = await world(folder, { login })
    for (const { pushed, builder, isThere, warnings } of [kept, refused]) {
      await pushed.prune('r1')
      expect(builder.built.size).toBe(0)
      expect(await isThere()).toBe(true)
      expect(warnings).toMatchObject([{ revision_id: 'r1', err: { code: 'bad_request' } }])
    }
    expect(kept.warnings).toMatchObject([{ err: { message: expect.stringContaining('405') } }])
  })

  it('does not hold a revision whose record cannot be read', async () => {
    const { pushed, builder, warnings } = await world()
    builder.unreadable.add('r1')
    await pushed.remove('r1')
    expect(builder.removed).toEqual(['r1'])
    expect(warnings).toHaveLength(1)
  })
})
