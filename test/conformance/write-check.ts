import { expect } from 'vitest'

/** What both planes' stores promise of `checkWrites`; closes the store. */
export async function expectWriteCheck(store: {
  checkWrites(): Promise<void>
  close(): Promise<void>
}): Promise<void> {
  await expect(store.checkWrites()).resolves.toBeUndefined()
  await store.close()
  const outcome = () =>
    store.checkWrites().then(
      () => 'written',
      () => 'refused',
    )
  await expect.poll(outcome, { timeout: 5_000 }).toBe('refused')
}
