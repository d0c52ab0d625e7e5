/** What must be true of all that an observer was promised, once it is over. */
import type { Client } from '@langchain/langgraph-sdk'
import { expect } from 'vitest'
import { collect } from '../support/agent/collect.ts'
import type { ObservedThread, Promised } from './observer.ts'

/**
 * Every run that was promised has ended once, its thread shows what it did in the order of promises,
 * its log has each event once. Answers how many runs were interrupted, and how many of those for good.
 */
export async function reviewAll(client: Client, threads: ObservedThread[]) {
  let interrupted = 0
  let exhausted = 0
  for (const { thread_id, promised } of threads) {
    const steps = await stepsOf(thread_id)
    for (const run of promised) {
      const review = await reviewRun(thread_id, run)
      if (review.attempts > 1) interrupted += 1
      if (review.status === 'error') exhausted += 1
      expectSteps(steps, run, review.status)
    }
    expectOrder(steps, promised)
  }
  const total = threads.flatMap((thread) => thread.promised).length
  return { interrupted, exhausted, total }

  /** None where nothing was promised on the thread any more. */
  async function stepsOf(thread_id: string): Promise<string[]> {
    const { values } = await client.threads.getState<{ steps?: string[] }>(thread_id)
    return values.steps ?? []
  }

  /** The status is the one that was seen at first; the log has each event once. */
  async function reviewRun(thread_id: string, { run_id, ended }: Promised) {
    const { status } = await client.runs.get(thread_id, run_id)
    expect({ run_id, status }).toEqual({ run_id, status: ended })
    const log = await collect(
      client.runs.joinStream(thread_id, run_id, { lastEventId: '-1', streamMode: 'values' }),
    )
    expect(log.map(({ id }) => id)).toEqual(log.map((_, index) => String(index)))
    const starts = log.filter(({ event }) => event === 'metadata')
    const last = starts.at(-1)?.data as { attempt: number } | undefined
    return { status, attempts: last?.attempt ?? 1 }
  }
}

/** All of a run that succeeded, the beginning of one that used up its attempts; nothing twice. */
function expectSteps(steps: string[], { label, count }: Promised, status: string): void {
  const own = steps.filter((step) => step.startsWith(`${label}:`))
  const wanted = Array.from({ length: count }, (_, index) => `${label}:${index + 1}`)
  if (status === 'success') expect(own).toEqual(wanted)
  else expect([status, own]).toEqual(['error', wanted.slice(0, own.length)])
}

/** The steps of a run are together, and the runs in the order in which they were acknowledged. */
function expectOrder(steps: string[], promised: Promised[]): void {
  const labels = steps.map((step) => step.replace(/:\d+$/, ''))
  const order = labels.filter((label, index) => label !== labels[index - 1])
  expect(order.length).toBe(new Set(order).size)
  const known = promised.map(({ label }) => label).filter((label) => order.includes(label))
  expect(order.filter((label) => known.includes(label))).toEqual(known)
}
