/** The `figures` table. A sample is JSON without its empty members, which are most of it. */
import {
  EMPTY_SAMPLE,
  type FiguresStore,
  type Sample,
  type StoredSample,
} from '../../core/figures/sample.ts'
import type { Db } from '../db/db.ts'
import { insertStatements } from '../db/many-rows.ts'

const COLUMNS = ['deployment_id', 'at', 'sample']

const LIST = `
SELECT deployment_id, at, sample FROM figures
WHERE deployment_id = $1 AND at >= $2 AND at < $3 ORDER BY at`

const EXPIRE = 'DELETE FROM figures WHERE at < $1'

interface Row {
  deployment_id: string
  at: number | bigint
  sample: string
}

/** `db` may be a transaction. */
export function createFiguresStore(db: Db): FiguresStore {
  return {
    async add(samples) {
      const rows = samples.map(({ deployment_id, at, sample }) => [
        ...[deployment_id, at],
        JSON.stringify(withoutNothing(sample)),
      ])
      const suffix = 'ON CONFLICT (deployment_id, at) DO NOTHING'
      if (rows.length > 0) await db.batch(insertStatements('figures', COLUMNS, rows, suffix))
    },
    async list(deployment_id, { from, to }) {
      return (await db.all<Row>(LIST, [deployment_id, from, to])).map(decode)
    },
    expire: (before) => db.run(EXPIRE, [before]),
  }
}

function decode({ deployment_id, at, sample }: Row): StoredSample {
  const kept = JSON.parse(sample) as Partial<Sample>
  return { deployment_id, at: Number(at), sample: { ...EMPTY_SAMPLE, ...kept } }
}

function withoutNothing(sample: Sample): Partial<Sample> {
  const some = Object.entries(sample).filter(([, value]) => !isNothing(value))
  return Object.fromEntries(some)
}

function isNothing(value: Sample[keyof Sample]): boolean {
  if (typeof value === 'number') return value === 0
  return Object.keys('counts' in value ? value.counts : value).length === 0
}
