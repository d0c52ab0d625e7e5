import { expect, it } from 'vitest'
import { AppError } from '../core/errors.ts'
import { withRetries } from './transfer.ts'

it("throws the signal's reason when it is aborted during a wait", async () => {
  const controller = new AbortController()
  const reason = new Error('The build was cancelled.')
  const tools = {
    signal: controller.signal,
    // The wait begins after this line.
    say: () => queueMicrotask(() => controller.abort(reason)),
    backOffMs: 60_000,
  }
  const away = () => Promise.reject(new AppError('unavailable', 'It is away.'))
  await expect(withRetries(2, tools, away)).rejects.toBe(reason)
})
