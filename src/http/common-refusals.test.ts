import { expect, test } from 'vitest'
import { addCommonRefusals } from './common-refusals.ts'

/** The statuses in the document for an operation like this. */
function statuses(operation: object): string[] {
  const document = addCommonRefusals({
    openapi: '3.1.0',
    info: { title: 'x', version: '0' },
    security: [{ Key: [] }],
    paths: { '/things': { post: { responses: { 200: { description: 'x' } }, ...operation } } },
  })
  return Object.keys(document.paths?.['/things']?.post?.responses ?? {})
}

test('an operation may be refused for want of credentials, and for its body', () => {
  expect(statuses({})).toEqual(['200', '401', '403'])
  const withBody = statuses({ requestBody: { content: {} } })
  expect(withBody).toEqual(['200', '400', '401', '403', '413', '415'])
})

test('one that is open needs no credentials', () => {
  expect(statuses({ security: [] })).toEqual(['200'])
})

test('what a route says itself stays', () => {
  const own = { description: 'Not for viewers' }
  const document = addCommonRefusals({
    openapi: '3.1.0',
    info: { title: 'x', version: '0' },
    paths: { '/things': { get: { security: [{ Key: [] }], responses: { 403: own } } } },
  })
  expect(document.paths?.['/things']?.get?.responses?.['403']).toEqual(own)
})
