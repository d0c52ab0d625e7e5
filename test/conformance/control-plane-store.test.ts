/** Every implementation of the control plane's store, through the same suites. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import type { SecretBox } from '../../src/core/secret-box.ts'
import { createSecretBox } from '../../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../src/storage/control-plane/store.ts'
import {
  aDeployment,
  aDomain,
  anOAuthConsent,
  anOAuthProvider,
  aRevision,
} from '../support/control-plane/control-plane-records.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testApiKeyStore } from './api-key-store.ts'
import { testAuditLogStore } from './audit-log-store.ts'
import { testDeploymentStore } from './deployment-store.ts'
import { testDomainStore } from './domain-store.ts'
import { testFiguresStore } from './figures-store.ts'
import { testLeadershipStore } from './leadership-store.ts'
import { testListenerStore } from './listener-store.ts'
import { testAgentConnectionStore } from './oauth/connection-store.ts'
import { testOAuthConsentStore } from './oauth/consent-store.ts'
import { testOAuthProviderStore } from './oauth/provider-store.ts'
import { anOAuthRevocation, testOAuthRevocationStore } from './oauth/revocation-store.ts'
import { testOAuthTokenEventStore } from './oauth/token-event-store.ts'
import { testOAuthTokenStore } from './oauth/token-store.ts'
import { testRevisionStore } from './revision-store.ts'
import { testSessionStore } from './session-store.ts'
import { testUploadStore } from './upload-store.ts'
import { testWorkspaceStore } from './workspace-store.ts'
import { expectWriteCheck } from './write-check.ts'

/** Each finds a place for a fresh database; a folder is there for it. */
const IMPLEMENTATIONS = {
  SQLite: async (folder: string) => join(folder, 'control-plane.db'),
  PostgreSQL: freshPostgres,
}

describe.each(Object.entries(IMPLEMENTATIONS))('the control plane’s store on %s', (_name, find) => {
  let folder: string
  let store: ControlPlaneStore
  let box: SecretBox

  beforeEach(async () => {
    folder = temporaryFolder()
    box = createSecretBox(randomBytes(32))
    store = await openControlPlaneStore(await find(folder), box)
  })

  afterEach(async () => {
    await store.close()
  })

  const open = () => store
  testDeploymentStore(open)
  testRevisionStore(open)
  testDomainStore(open)
  testApiKeyStore(open)
  testOAuthProviderStore(open)
  testOAuthTokenStore(open)
  testOAuthConsentStore(open)
  testAgentConnectionStore(open)
  testOAuthTokenEventStore(open)
  testOAuthRevocationStore(open)
  testUploadStore(open)
  testListenerStore(open)
  testLeadershipStore(open)
  testWorkspaceStore(open)
  testSessionStore(open)
  testAuditLogStore(open)
  testFiguresStore(open)

  describe('a transaction', () => {
    const deployment = aDeployment()

    it('writes all of it, and answers what the work answered', async () => {
      const revision = await store.transaction(async (tx) => {
        await tx.deployments.insert(deployment)
        return tx.revisions.insert(aRevision({ deployment_id: deployment.id }))
      })
      expect(await store.deployments.get(deployment.id)).toMatchObject({
        latest_revision_id: revision.id,
      })
    })

    it('writes nothing when the work throws', async () => {
      const work = store.transaction(async (tx) => {
        await tx.deployments.insert(deployment)
        await tx.revisions.insert(aRevision({ deployment_id: deployment.id }))
        throw new Error('changed my mind')
      })
      await expect(work).rejects.toThrow('changed my mind')
      expect(await store.deployments.get(deployment.id)).toBeUndefined()
    })

    it('may name the revision before it is there', async () => {
      const revision = aRevision({ deployment_id: deployment.id })
      await store.transaction(async (tx) => {
        await tx.deployments.insert({ ...deployment, latest_revision_id: revision.id })
        await tx.revisions.insert(revision)
      })
      expect(await store.revisions.get(deployment.id, revision.id)).toBeDefined()
    })

    it('is not nested, and its store is not closed', async () => {
      const refusal = { code: 'internal' }
      await store.transaction(async (tx) => {
        await expect(tx.transaction(async () => {})).rejects.toMatchObject(refusal)
        await expect(tx.close()).rejects.toMatchObject(refusal)
      })
    })
  })

  it('seals anew what an older encryption key has sealed, once', async () => {
    const deployment = aDeployment()
    const provider = anOAuthProvider()
    const consent = anOAuthConsent()
    const domain = aDomain({ deployment_id: deployment.id })
    const certificate = { certificate: 'A CHAIN', private_key: 'A KEY' }
    await store.deployments.insert(deployment)
    await store.oauth.providers.insert(provider)
    await store.oauth.consents.insert(consent)
    const revocation = anOAuthRevocation()
    await store.oauth.revocations.insert(revocation)
    await store.domains.insert(domain)
    await store.domains.setCertificate(domain.id, certificate, domain.updated_at)
    const { signingKey } = store
    const before = box.sealedPrefix
    box.changeKey(randomBytes(32))
    expect(await store.deployments.get(deployment.id)).toEqual(deployment)
    expect(await store.reseal()).toBe(6)
    expect(await store.reseal()).toBe(0)
    expect(box.sealedPrefix).not.toBe(before)
    expect(await store.deployments.get(deployment.id)).toEqual(deployment)
    expect(await store.oauth.providers.find(provider.id)).toEqual(provider)
    expect(await store.oauth.consents.get(consent.id)).toEqual(consent)
    expect(await store.domains.certificateOf(domain.host)).toEqual(certificate)
    expect(await store.oauth.revocations.listDue(revocation.next_at, 1)).toEqual([revocation])
    expect(store.signingKey).toEqual(signingKey)
  })

  it('takes a write to show that it does, and none once it is closed', async () => {
    await expectWriteCheck(store)
  })

  it('answers a ping while it is open, and closes twice without harm', async () => {
    await expect(store.ping()).resolves.toBeUndefined()
    await store.close()
    await store.close()
    await expect(store.ping()).rejects.toThrow()
  })
})
