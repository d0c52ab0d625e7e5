import { expect, it } from 'vitest'
import { isOlder } from './package-version.ts'

it.each([
  ['0.2.56', '0.2.57', true],
  ['0.2.57', '0.2.57', false],
  ['0.10.0', '0.2.57', false],
  ['1.0.0-alpha.5', '1.0.0', false],
  ['1.4.10', '1.4.9', false],
  ['1.3', '1.4.9', true],
  ['3.9', '3.11', true],
  ['3.11', '3.11.0', false],
  ['1.0.0rc1', '1.0', false],
  ['0.10.2', '1.0', true],
])('%s comes before %s: %s', (version, than, isIt) => {
  expect(isOlder(version, than)).toBe(isIt)
})
