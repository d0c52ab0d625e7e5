import { expect, it } from 'vitest'
import { exhaustedError } from './outcome.ts'

it('says how often a run that has used up its attempts has lost its server', () => {
  expect(exhaustedError({ attempt: 3 }).message).toMatch(
    /stopped 3 times during this run, the last/,
  )
  expect(exhaustedError({ attempt: 1 }).message).toMatch(/during this run, which has one attempt/)
})
