import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { NO_REGISTRY, PULLER, startRegistry } from '../../../test/support/control-plane/registry.ts'
import { forAllTests } from '../../../test/support/running.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openFolderObjects } from '../../artifacts/folder-objects.ts'
import { createRegistryClient } from '../../artifacts/registry/client.ts'
import { createWays } from '../../artifacts/registry/ways.ts'
import { systemClock } from '../../core/clock.ts'
import type { BuildRequest } from '../../core/deployment/builds/build.ts'
import type { OwnRegistry } from '../../core/deployment/images/registry.ts'
import { EMPTY_REVISION_CONFIG, EMPTY_SOURCE_CONFIG } from '../../core/deployment/sources/config.ts'
import { silentLog } from '../../core/log.ts'
import { parseIpRange } from '../../core/network/ip-range.ts'
import { createGuardedFetch } from '../../webhook/guarded-fetch.ts'
import { createBuilder } from '../builder.ts'
import { createTarballs } from '../tarballs.ts'

const skipped = NO_REGISTRY ? ` (skipped: ${NO_REGISTRY})` : ''

describe.skipIf(NO_REGISTRY)(`a revision that is an image${skipped}`, () => {
  let dir: string
  const registry = forAllTests(() => startRegistry({ hasLogins: true }))
  beforeEach(() => {
    dir = temporaryFolder()
  })

  function builder() {
    const prefix = `${registry.host}/team`
    const own: OwnRegistry = { url: `http://${prefix}`, prefix, login: PULLER }
    const outgoing = createGuardedFetch({ allowed: parseIpRange('loopback') ?? [] })
    const wayTo = createWays({ own, ownOutgoing: outgoing, outgoing })
    return createBuilder({
      dir,
      tarballs: createTarballs({ dir, objects: openFolderObjects({ root: dir }) }),
      checkConfig: () => Promise.reject(new Error('There is no project.')),
      checkPackages: () => Promise.reject(new Error('There is no project.')),
      ownNode: '/usr/bin',
      env: {},
      images: { own, registry: createRegistryClient(wayTo) },
      clock: systemClock,
      log: silentLog,
    })
  }

  const request = (change: Partial<BuildRequest> & { image_uri: string }): BuildRequest => ({
    revision_id: 'r1',
    deployment_id: 'd1',
    source: 'internal_docker',
    source_config: EMPTY_SOURCE_CONFIG,
    source_revision_config: { ...EMPTY_REVISION_CONFIG, image_uri: change.image_uri },
    secrets: [],
    ...change,
  })
  const build = (change: Parameters<typeof request>[0]) =>
    builder().build(request(change), new AbortController().signal)
  const buildLog = () => readFile(join(dir, 'revisions/r1/build.log'), 'utf8')

  it('speaks the link where its label says so', async () => {
    await registry.put('team/d1/own', 'v1', 'own', { 'runyard.link': '1' })
    const built = await build({ image_uri: `${registry.host}/team/d1/own:v1` })
    expect(built.artifact).toMatchObject({ kind: 'image', is_linked: true })
    expect(await builder().find('r1')).toEqual(built)
  })

  it('is settled by its digest, and found again until it is pruned', async () => {
    const digest = await registry.put('team/d1/agent', 'v1')
    const built = await build({ image_uri: `${registry.host}/team/d1/agent:v1` })
    const image_uri = `${registry.host}/team/d1/agent@${digest}`
    expect(built).toEqual({ artifact: { kind: 'image', image_uri }, repo_commit_sha: null })
    const later = builder()
    expect(await later.find('r1')).toEqual(built)
    expect(await later.list()).toEqual(['r1'])
    expect(await buildLog()).toContain(`It is ${digest}.`)
    await later.prune('r1')
    expect(await later.find('r1')).toBeUndefined()
    expect(await later.list()).toEqual([])
  })

  it('stays at the digest that was found first', async () => {
    const first = await registry.put('team/d1/moving', 'v1', 'one')
    await registry.put('team/d1/moving', 'v1', 'two')
    const image_uri = `${registry.host}/team/d1/moving:v1`
    const again = { ...EMPTY_REVISION_CONFIG, image_uri, image_digest: first }
    expect(await build({ image_uri, source_revision_config: again })).toMatchObject({
      artifact: { image_uri: `${registry.host}/team/d1/moving@${first}` },
    })
  })

  it("is not pulled with the operator's login where it is another deployment's", async () => {
    await registry.put('team/d2/agent', 'v1')
    const image_uri = `${registry.host}/team/d2/agent:v1`
    await expect(build({ image_uri, source: 'external_docker' })).rejects.toMatchObject({
      name: 'BuildError',
      step: 'fetch',
      message: expect.stringContaining('does not show team/d2/agent:v1 without a login'),
    })
    const auths = { [registry.host]: PULLER }
    const secrets = [{ name: 'RUNYARD_PULL_SECRET', value: JSON.stringify({ auths }) }]
    await expect(build({ image_uri, source: 'external_docker', secrets })).resolves.toBeDefined()
    expect(await buildLog()).not.toContain(PULLER.password)
  })
})
