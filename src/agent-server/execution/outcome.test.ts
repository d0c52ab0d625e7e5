import { expect, it } from 'vitest'
import type { TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import { countTokens, exhaustedError } from './outcome.ts'

it('says how often a run that has used up its attempts has lost its server', () => {
  expect(exhaustedError({ attempt: 3 }).message).toMatch(
    /stopped 3 times during this run, the last/,
  )
  expect(exhaustedError({ attempt: 1 }).message).toMatch(/during this run, which has one attempt/)
})

it('reports the first token of a run once, and counts and reports the tokens of each model call that has ended', () => {
  const reported: unknown[] = []
  const metrics = {
    firstToken: (seconds: number) => reported.push(seconds),
    tokensUsed: (tokens: object) => reported.push(tokens),
  }
  const { onSpans: listen, sum } = countTokens({ metrics } as never, { available_at: 1_000 })
  expect(sum()).toEqual({})
  const span = { kind: 'model', ended_at: null } as TimelineSpan
  listen([span, { ...span, first_token_at: 1_500 }])
  listen([{ ...span, first_token_at: 1_500, ended_at: 2_000, input_tokens: 5, output_tokens: 7 }])
  listen([{ ...span, first_token_at: 2_500, ended_at: 3_000 }])
  listen([{ ...span, kind: 'node', ended_at: 3_000 }])
  listen([{ ...span, ended_at: 3_000, output_tokens: 2 }])
  const counts = [
    { input: 5, output: 7 },
    { input: 0, output: 2 },
  ]
  expect(reported).toEqual([0.5, ...counts])
  expect(sum()).toEqual({ input_tokens: 5, output_tokens: 9 })
})
