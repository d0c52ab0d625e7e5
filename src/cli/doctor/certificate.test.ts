import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DOMAIN_CERTIFICATE } from '../../../test/support/gateway/certificate.ts'
import { inspectDomainCertificates } from './certificate.ts'

const DAY_MS = 86_400_000
const { certificate } = DOMAIN_CERTIFICATE
const ENDS = Date.parse(new X509Certificate(certificate).validTo)
const DOMAIN = { name: 'support', host: 'agents.example.com', certificate }

describe('the certificates of domains', () => {
  it.each([
    ['a warning within two weeks of its end', ENDS - 13 * DAY_MS, 'agents.example.com expires: '],
    ['a warning after it', ENDS + DAY_MS, 'agents.example.com has expired: '],
  ])('are %s', (_, now, says) => {
    expect(inspectDomainCertificates([DOMAIN], now)).toEqual([
      {
        what: 'domains',
        status: 'warning',
        says: expect.stringContaining(says),
        mend: 'runyard domains certificate support agents.example.com --certificate FILE --key FILE',
      },
    ])
  })

  it('are in order before, and not spoken of where there are none', () => {
    expect(inspectDomainCertificates([DOMAIN], ENDS - 15 * DAY_MS)).toMatchObject([
      { what: 'domains', status: 'ok' },
    ])
    expect(inspectDomainCertificates([])).toEqual([])
  })
})
