/** What runs in a `WriterThread`. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Db, ThreadWork } from '../db.ts'
import { openSqliteForThread } from './db.ts'
import { CLOSE, type Errand, type ErrandOutcome, READY, type Report } from './writer-thread.ts'

const works = new Map<string, ThreadWork>()
const db = await openSqliteForThread(workerData as string)

parentPort?.on('message', (message: Errand[] | typeof CLOSE) => {
  void (message === CLOSE ? close() : doAll(message))
})
parentPort?.postMessage(READY)

/** Side by side, so that they share a commit. */
async function doAll(errands: readonly Errand[]): Promise<void> {
  const before = db.writeCount ?? 0
  const outcomes = await Promise.all(errands.map((errand) => outcomeOf(db, errand)))
  const report: Report = { outcomes, writeCount: (db.writeCount ?? 0) - before }
  parentPort?.postMessage(report)
}

/** Why something was not done shows where it is tried again. */
async function outcomeOf(to: Db, { module, asked }: Errand): Promise<ErrandOutcome> {
  try {
    const work = works.get(module) ?? (await load(module))
    return { isDone: true, answer: await work(to, asked as never) }
  } catch {
    return { isDone: false }
  }
}

/** Looking it up again costs more than a small errand. */
async function load(module: string): Promise<ThreadWork> {
  const { default: work } = (await import(module)) as { default: ThreadWork }
  works.set(module, work)
  return work
}

async function close(): Promise<void> {
  await db.close()
  parentPort?.close()
}
