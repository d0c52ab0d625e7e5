/** What every store of domains must do. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import type { Deployment } from '../../src/core/deployment/deployment.ts'
import { aDeployment, aDomain } from '../support/control-plane/control-plane-records.ts'

const LATER = '2026-11-20T13:00:00.000Z'
const CERTIFICATE = { certificate: 'A CHAIN', private_key: 'A KEY' }

export function testDomainStore(open: () => ControlPlaneStore): void {
  describe('domains', () => {
    let deployment: Deployment
    let other: Deployment

    beforeEach(async () => {
      deployment = aDeployment()
      other = aDeployment()
      for (const one of [deployment, other]) await open().deployments.insert(one)
    })

    const aDomainOf = ({ id }: Deployment, change = {}) => aDomain({ deployment_id: id, ...change })

    it('gives back a domain as it was stored, to its own deployment', async () => {
      const { domains } = open()
      const domain = aDomainOf(deployment)
      expect(await domains.insert(domain)).toBe(true)
      expect(await domains.get(deployment.id, domain.host)).toEqual(domain)
      expect(await domains.get(other.id, domain.host)).toBeUndefined()
      expect(await domains.get(deployment.id, 'other.example.com')).toBeUndefined()
    })

    it('takes a host once in the installation', async () => {
      const { domains } = open()
      const domain = aDomainOf(deployment)
      await domains.insert(domain)
      const { host } = domain
      for (const one of [deployment, other]) {
        expect(await domains.insert(aDomainOf(one, { host }))).toBe(false)
      }
      expect(await domains.list(other.id)).toEqual([])
    })

    it('lists a deployment’s, the oldest first', async () => {
      const { domains } = open()
      const made = [2, 0, 1].map((hour) =>
        aDomainOf(deployment, { created_at: `2026-11-20T1${hour}:00:00.000Z` }),
      )
      for (const domain of [...made, aDomainOf(other)]) await domains.insert(domain)
      const inOrder = [made[1], made[2], made[0]]
      expect(await domains.list(deployment.id)).toEqual(inOrder)
      expect(await domains.listHosts(deployment.id)).toEqual(inOrder.map((one) => one?.host))
      expect(await domains.listHosts(randomUUID())).toEqual([])
    })

    it('tells of all domains which deployment they stand for', async () => {
      const { domains } = open()
      const [one, two] = [aDomainOf(deployment, { host: 'a.test' }), aDomainOf(other)]
      await domains.insert(one)
      await domains.insert(two)
      await domains.setCertificate(one.id, CERTIFICATE, LATER)
      const names = await domains.listNames()
      expect(names).toEqual(
        expect.arrayContaining([
          { host: one.host, name: deployment.name, certificate_version: LATER },
          { host: two.host, name: other.name, certificate_version: null },
        ]),
      )
      expect(names.map(({ host }) => host)).toEqual(names.map(({ host }) => host).toSorted())
    })

    it('keeps a certificate with its key, until it is taken away', async () => {
      const { domains } = open()
      const domain = aDomainOf(deployment)
      await domains.insert(domain)
      expect(await domains.certificateOf(domain.host)).toBeUndefined()
      await domains.setCertificate(domain.id, CERTIFICATE, LATER)
      const { certificate } = CERTIFICATE
      const changed = { ...domain, certificate, updated_at: LATER }
      expect(await domains.get(deployment.id, domain.host)).toEqual(changed)
      expect(await domains.certificateOf(domain.host)).toEqual(CERTIFICATE)
      await domains.setCertificate(domain.id, null, LATER)
      expect(await domains.certificateOf(domain.host)).toBeUndefined()
      expect(await domains.get(deployment.id, domain.host)).toMatchObject({ certificate: null })
    })

    it('removes one, whose host is free again', async () => {
      const { domains } = open()
      const domain = aDomainOf(deployment)
      await domains.insert(domain)
      await domains.delete(domain.id)
      expect(await domains.get(deployment.id, domain.host)).toBeUndefined()
      expect(await domains.insert(aDomainOf(other, { host: domain.host }))).toBe(true)
    })

    it('loses those of a deployment with it', async () => {
      const { domains, deployments } = open()
      const [gone, kept] = [aDomainOf(deployment), aDomainOf(other)]
      for (const domain of [gone, kept]) await domains.insert(domain)
      await deployments.delete(deployment.id)
      expect(await domains.list(deployment.id)).toEqual([])
      expect(await domains.list(other.id)).toEqual([kept])
    })

    it('remembers who had a host last, also when its deployment is gone, until it is told to forget', async () => {
      const { domains, deployments } = open()
      const { host } = aDomainOf(deployment)
      const had = (workspace_id: string, released_at: string) => ({
        host,
        workspace_id,
        released_at,
      })
      expect(await domains.released(host)).toBeUndefined()
      await domains.release(had('red', deployment.created_at))
      await domains.release(had('blue', LATER))
      await deployments.delete(deployment.id)
      expect(await domains.released(host)).toEqual(had('blue', LATER))
      await domains.forgetReleased(LATER)
      expect(await domains.released(host)).toEqual(had('blue', LATER))
      await domains.forgetReleased('2026-11-20T13:00:00.001Z')
      expect(await domains.released(host)).toBeUndefined()
    })
  })
}
