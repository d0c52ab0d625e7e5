import { expect, test } from 'vitest'
import { encodeRunEnd, openRunEnd, type RunEnd } from './event.ts'

const values = { a: ',"values":1}', values: [{ error: '"', values: null }], error: 'ü' }
const error = { error: 'E', message: 'not ,"values":{} and not ,"error":null' }

test.each<RunEnd>([
  { graph_id: 'a', status: 'success', values, error: null },
  { graph_id: ',"values":2', status: 'success', values, next: [',"error":'], error: null },
  { graph_id: 'a', status: 'error', values: {}, error },
  { graph_id: 'a', status: 'error', error },
  { status: 'rolled_back', values: null, error: null },
])('the values are cut out as they were written: %j', (written) => {
  const { values: given, ...end } = written
  const text = given ? JSON.stringify(given) : undefined
  const data = encodeRunEnd(written)
  expect(JSON.parse(data)).toEqual(written)
  expect(openRunEnd(data)).toEqual({ end, ...(text && { values: text }) })
  // As earlier versions have written it.
  const { graph_id, status, next } = written
  const before = JSON.stringify({ graph_id, status, values: given, next, error: written.error })
  expect(openRunEnd(before)).toEqual(openRunEnd(data))
  expect(openRunEnd(JSON.stringify({ status }))).toEqual({ end: { status } })
})
