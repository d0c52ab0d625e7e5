/**
 * Fills empty databases with a backup that was verified. While it runs, and after it was killed, no Runyard starts on
 * them; the next restore removes what is there and begins again.
 */
import { createHash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { Hold } from '../migrations/hold.ts'
import { carry, type Migrations, type Progress, prepareTarget } from './carry.ts'
import { readBackup, type Verified } from './read-backup.ts'
import { firstOf, type Side, stateOf } from './side.ts'
import type { ReadPart } from './tar-stream.ts'

interface RestoreParts {
  target: Side
  migrations: Migrations
  backup: Verified
  /** The same archive once more. */
  archive: AsyncIterable<Uint8Array>
  /** Takes the files beside the databases. */
  takeFile(file: ReadPart): Promise<void>
  progress: Progress
}

const ID_PREFIX = 'restore-'

/** Whether the target holds an unfinished restore. */
export async function isUnfinished(target: Side): Promise<boolean> {
  const { hold } = await stateOf(target, firstOf(target))
  return hold !== undefined && isOfRestore(hold)
}

function isOfRestore({ reason, id }: Hold): boolean {
  return (reason === 'filling' || reason === 'filled') && id.startsWith(ID_PREFIX)
}

/** Throws `conflict` when the target has content, and when the backup is of a newer Runyard. */
export async function restoreBackup(parts: RestoreParts): Promise<void> {
  const { target, migrations, backup, archive, takeFile, progress } = parts
  const { databases, manifest } = backup
  const id = `${ID_PREFIX}${createHash('sha256').update(JSON.stringify(manifest)).digest('hex')}`
  const message = 'This is a restore that was not ended: run the same "runyard restore" again.'
  const common = { target, databases, migrations }
  const isFilled = await prepareTarget({ ...common, id, mayRemove: isOfRestore })
  await carry({
    ...{ ...common, isFilled, contents: readBackup(archive, { file: takeFile }), progress },
    ...{ hold: { id, message }, filling: 'restoring' },
    withSums(database, work) {
      const tables = manifest.databases.find(({ id }) => id === database.id)?.tables
      return work(async ({ name }) => {
        const sum = tables?.find((table) => table.name === name)
        if (sum) return sum
        throw new AppError('internal', `The backup's manifest lacks the table ${name}.`)
      })
    },
  })
}
