import { expect, it } from 'vitest'
import { hasTriggersIn, possibleManifests } from './labels.ts'

it.each([
  ['{"config":{"OnBuild":["RUN true"]}}', true],
  ['{"config":{"onbuild" : ["RUN true"]}}', true],
  ['{"config":{"\\u004fnBuild":["RUN true"]}}', true],
  ['{"config":{"OnBuild":["RUN true"],"OnBuild":[]}}', true],
  ['{"config":{"OnBuild":null}}', false],
  ['{"config":{"OnBuild": [ ]}}', false],
  ['{"config":{"Labels":{"a":"\\"OnBuild\\": yes"}}}', false],
])('finds ONBUILD instructions in %s: %s', (configuration, has) => {
  expect(hasTriggersIn(configuration)).toBe(has)
})

const one = `sha256:${'1'.repeat(64)}`
const two = `sha256:${'2'.repeat(64)}`
const architecture = process.arch === 'x64' ? 'amd64' : process.arch
const index = (...manifests: unknown[]) => JSON.stringify({ manifests })
const own = (digest?: string, more = {}) => ({ digest, platform: { architecture, ...more } })

it.each([
  [JSON.stringify({ config: { digest: one } }), 'itself'],
  [
    index(own(one), own(two, { variant: 'v3' }), {
      digest: one,
      platform: { architecture: 's390x' },
    }),
    [one, two],
  ],
  [index({ digest: one }), [one]],
  [index({ digest: one, platform: { architecture: 'x86_64' } }), [one]],
  ['{"schemaVersion":1}', undefined],
  ['no JSON', undefined],
  [index(own()), undefined],
  [index(), undefined],
  [JSON.stringify({ config: { digest: one }, manifests: [own(two)] }), undefined],
  [`{"config":{"digest":"${one}"},"Config":{"digest":"${two}"}}`, undefined],
])('says which manifests an engine may take of %s', (text, manifests) => {
  expect(possibleManifests(text)).toEqual(manifests)
})
