import { expect, it } from 'vitest'
import { hasOwnHistory, isBelow, ownHistoryOf } from './subgraph-place.ts'

it('tells a subgraph that keeps its history from one of a single call', () => {
  expect(hasOwnHistory('plan:5c0cb5f7-5fc4')).toBe(false)
  expect(hasOwnHistory('plan')).toBe(true)
  expect(hasOwnHistory('outer:5c0cb5f7-5fc4|inner')).toBe(true)
  expect(ownHistoryOf('outer:5c0cb5f7-5fc4|inner:8ce88034-d516')).toBe('outer:5c0cb5f7-5fc4|inner')
})

it('knows from which checkpoint a subgraph was called', () => {
  const checkpoint = {
    ...{ thread_id: 't', checkpoint_ns: 'plan', checkpoint_id: 'inner' },
    checkpoint_map: { '': 'root', plan: 'inner' },
  }
  const state = { checkpoint }
  expect(isBelow(state, { checkpoint_ns: '', checkpoint_id: 'root' })).toBe(true)
  expect(isBelow(state, { checkpoint_ns: '', checkpoint_id: 'another' })).toBe(false)
})
