import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { operations } from './operation.ts'

const refusals = {
  401: { description: 'no key' },
  404: { description: 'not found' },
  422: { description: 'not valid' },
}
const operation = operations({ tags: ['Cats'], refusals, always: [401], withRequest: [422] })
const answers = { 200: { description: 'The cats.' } }

it('has an id out of its name, its path and its method', () => {
  const { operationId } = { operationId: '', ...operation('get', '/cats/{cat_id}', cat('get_cat')) }
  expect(operationId).toBe('get_cat_cats__cat_id__get')
})

it('refuses what all refuse, and what it names itself', () => {
  const { responses } = operation('get', '/cats', { ...cat('list_cats'), refusals: [404] })
  expect(Object.keys(responses)).toEqual(['200', '401', '404'])
})

it('refuses what does not validate where it has a request', () => {
  const request = { query: z.object({ name: z.string() }) }
  const { responses } = operation('get', '/cats', { ...cat('list_cats'), request })
  expect(Object.keys(responses)).toEqual(['200', '401', '422'])
})

function cat(name: string) {
  return { name, summary: 'Cats', answers }
}
