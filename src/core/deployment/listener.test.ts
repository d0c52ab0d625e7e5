import { expect, it } from 'vitest'
import { placeOf } from './listener.ts'

const deployment = { status: 'READY', source_config: { listener_id: 'east' } } as const

it('knows where a deployment is to run of which a listener tells', () => {
  expect(placeOf('east', deployment)).toBe('there')
  expect(placeOf('west', deployment)).toBe('elsewhere')
  expect(placeOf('east', { ...deployment, status: 'AWAITING_DELETE' })).toBe('nowhere')
  expect(placeOf('east', undefined)).toBe('nowhere')
})
