import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aDeployment, aDomain } from '../../../test/support/control-plane/control-plane-records.ts'
import {
  DOMAIN_CERTIFICATE,
  RENEWED_DOMAIN_CERTIFICATE,
} from '../../../test/support/gateway/certificate.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Domain } from '../../core/deployment/domain.ts'
import { silentLog } from '../../core/log.ts'
import type { Certificate } from '../../core/network/tls.ts'
import { createSecretBox } from '../../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../storage/control-plane/store.ts'
import { KnownDomains } from './known-domains.ts'

const MOMENTS = ['2026-11-20T13:00:00.000Z', '2026-11-20T14:00:00.000Z'] as const

/** A gateway's tables: what they hold, and who waits for a change. */
class Gateway {
  hosts: ReadonlyMap<string, string> = new Map()
  readonly certificates = new Map<string, string>()
  #told = Promise.withResolvers<void>()
  refuses: string | undefined

  replace(names: ReadonlyMap<string, string>): void {
    this.hosts = names
    this.#told.resolve()
    this.#told = Promise.withResolvers()
  }

  set(host: string, { cert }: Certificate): void {
    if (host === this.refuses) throw new Error('TLS cannot work with it')
    this.certificates.set(host, cert.toString())
  }

  remove(host: string): void {
    this.certificates.delete(host)
  }

  get told(): Promise<void> {
    return this.#told.promise
  }
}

let store: ControlPlaneStore
let gateway: Gateway
let known: KnownDomains
let domain: Domain

beforeEach(async () => {
  store = await openControlPlaneStore(':memory:', createSecretBox(randomBytes(32)))
  const deployment = aDeployment({ name: 'support' })
  await store.deployments.insert(deployment)
  domain = aDomain({ deployment_id: deployment.id })
  gateway = new Gateway()
  known = new KnownDomains({
    ...{ store, hosts: gateway, certificates: gateway, log: silentLog },
    lookEveryMs: 5,
  })
})
afterEach(async () => {
  await known.stop()
  await store.close()
})

describe('a gateway', () => {
  it('knows the domains that are there when it begins', async () => {
    await store.domains.insert(domain)
    await store.domains.setCertificate(domain.id, DOMAIN_CERTIFICATE, MOMENTS[0])
    await known.start()
    expect(gateway.hosts).toEqual(new Map([[domain.host, 'support']]))
    expect([...gateway.certificates]).toEqual([[domain.host, DOMAIN_CERTIFICATE.certificate]])
  })

  it('hears at once of what its own process has changed', async () => {
    await store.domains.insert(domain)
    await known.refresh()
    expect(gateway.hosts.size).toBe(1)
    await store.domains.setCertificate(domain.id, DOMAIN_CERTIFICATE, MOMENTS[0])
    await known.refresh()
    expect(gateway.certificates.get(domain.host)).toBe(DOMAIN_CERTIFICATE.certificate)
    await store.domains.setCertificate(domain.id, RENEWED_DOMAIN_CERTIFICATE, MOMENTS[1])
    await known.refresh()
    expect(gateway.certificates.get(domain.host)).toBe(RENEWED_DOMAIN_CERTIFICATE.certificate)
    await store.domains.setCertificate(domain.id, null, MOMENTS[1])
    await known.refresh()
    expect(gateway.certificates.size).toBe(0)
    await store.domains.delete(domain.id)
    await known.refresh()
    expect(gateway.hosts.size).toBe(0)
  })

  it('hears soon of what another process has changed', async () => {
    await known.start()
    await store.domains.insert(domain)
    while (gateway.hosts.size === 0) await gateway.told
    expect(gateway.hosts).toEqual(new Map([[domain.host, 'support']]))
  })

  it('keeps what it was told while a certificate will not do', async () => {
    const other = aDomain({ deployment_id: domain.deployment_id })
    for (const one of [domain, other]) {
      await store.domains.insert(one)
      await store.domains.setCertificate(one.id, DOMAIN_CERTIFICATE, MOMENTS[0])
    }
    gateway.refuses = domain.host
    await known.refresh()
    expect([...gateway.certificates.keys()]).toEqual([other.host])
    expect(gateway.hosts.size).toBe(2)
  })
})

it('keeps what it knows while the database cannot be read', async () => {
  await store.domains.insert(domain)
  await known.refresh()
  await store.close()
  await known.refresh()
  expect(gateway.hosts.size).toBe(1)
})
