import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  CERTIFICATE,
  DOMAIN_CERTIFICATE,
  EXPIRED_DOMAIN_CERTIFICATE,
  RENEWED_DOMAIN_CERTIFICATE,
} from '../../../test/support/gateway/certificate.ts'
import { certificateAnswer, checkCertificate } from './certificate.ts'

const HOST = 'agents.example.com'
const NOW = Date.parse('2026-11-25T12:00:00Z')
const { certificate, private_key } = DOMAIN_CERTIFICATE

const short = generateKeyPairSync('rsa', {
  modulusLength: 512,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey
const locked = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey

describe('checkCertificate', () => {
  it.each([
    ['its host', HOST],
    ['a host below its wildcard', 'blue.team.example.com'],
  ])('takes a certificate with its chain for %s', (_, host) =>
    checkCertificate(DOMAIN_CERTIFICATE, host, NOW),
  )

  it.each([
    ['certificate', 'in PEM', { certificate: 'no', private_key }],
    ['certificate', 'in PEM', { certificate: private_key, private_key }],
    [
      'certificate',
      'in PEM',
      {
        certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
        private_key,
      },
    ],
    ['certificate', 'more than 10', { certificate: certificate.repeat(6), private_key }],
    ['certificate', 'has expired', EXPIRED_DOMAIN_CERTIFICATE],
    [
      'certificate',
      'not for agents.example.com, but for localhost',
      {
        certificate: CERTIFICATE.cert.toString(),
        private_key: CERTIFICATE.key.toString(),
      },
    ],
    ['private_key', 'in PEM', { certificate, private_key: 'no' }],
    ['private_key', 'no passphrase', { certificate, private_key: locked }],
    ['private_key', 'not the key of this', { certificate, private_key: short }],
    [
      'private_key',
      'not the key of this',
      { certificate, private_key: RENEWED_DOMAIN_CERTIFICATE.private_key },
    ],
  ])('refuses %s: %s', (field, why, given) => {
    const check = () => checkCertificate(given, HOST, NOW)
    expect(check).toThrow(expect.objectContaining({ code: 'bad_request' }))
    expect(check).toThrow(new RegExp(`^${field}: .*${why}`))
  })

  it('refuses one that is not valid yet, and one for a deeper name than its wildcard', () => {
    const early = Date.parse('2019-12-31T00:00:00Z')
    expect(() => checkCertificate(DOMAIN_CERTIFICATE, HOST, early)).toThrow(/not valid before 2020/)
    const deeper = () => checkCertificate(DOMAIN_CERTIFICATE, 'a.b.team.example.com', NOW)
    expect(deeper).toThrow(/is not for a.b.team/)
  })
})

it('tells of a certificate who has issued it, for whom and until when', () => {
  expect(certificateAnswer(certificate)).toEqual({
    issuer: 'CN=Authority of tests',
    names: [HOST, '*.team.example.com'],
    not_before: '2020-01-01T00:00:00.000Z',
    expires_at: '2120-01-01T00:00:00.000Z',
    fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
  })
  expect(certificateAnswer('of another form')).toBeNull()
})
