import { expect, test } from 'vitest'
import {
  CERTIFICATE,
  CERTIFICATE_FILES,
  RENEWED_FILES,
} from '../../../test/support/gateway/certificate.ts'
import { readCertificate } from './certificate.ts'

test('a certificate is read with its key', () => {
  expect(readCertificate(CERTIFICATE_FILES)).toEqual(CERTIFICATE)
})

test.each([
  ['is not there', { cert: '/nowhere.pem' }, 'RUNYARD_TLS_CERT: /nowhere.pem cannot be read'],
  ['has no key', { key: '/nowhere.pem' }, 'RUNYARD_TLS_KEY: /nowhere.pem cannot be read'],
  ['has the key of another', { key: RENEWED_FILES.key }, 'is no certificate in PEM with its'],
  ['is none', { cert: import.meta.filename }, 'is no certificate in PEM with its'],
])('one that %s is refused in words', (_what, files, words) => {
  expect(() => readCertificate({ ...CERTIFICATE_FILES, ...files })).toThrow(words)
})
