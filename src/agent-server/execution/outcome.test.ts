import { expect, it } from 'vitest'
import type { TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import { exhaustedError, reportTokens } from './outcome.ts'

it('says how often a run that has used up its attempts has lost its server', () => {
  expect(exhaustedError({ attempt: 3 }).message).toMatch(
    /stopped 3 times during this run, the last/,
  )
  expect(exhaustedError({ attempt: 1 }).message).toMatch(/during this run, which has one attempt/)
})

it('reports the first token of a run once, and the tokens of each model call that has ended', () => {
  const reported: unknown[] = []
  const metrics = {
    firstToken: (seconds: number) => reported.push(seconds),
    tokensUsed: (tokens: object) => reported.push(tokens),
  }
  const listen = reportTokens({ metrics } as never, { available_at: 1_000 })
  const span = { kind: 'model', ended_at: null } as TimelineSpan
  listen([span, { ...span, first_token_at: 1_500 }])
  listen([{ ...span, first_token_at: 1_500, ended_at: 2_000, input_tokens: 5, output_tokens: 7 }])
  listen([{ ...span, first_token_at: 2_500, ended_at: 3_000 }])
  listen([{ ...span, kind: 'node', ended_at: 3_000 }])
  expect(reported).toEqual([0.5, { input: 5, output: 7 }])
})
