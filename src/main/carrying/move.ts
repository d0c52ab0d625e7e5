/** `runyard move`: the databases of a stopped installation, from SQLite to PostgreSQL or back. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { DataConfig, MoveConfig } from '../../settings/config.ts'
import { type Moved, move, refuseInUse, takeBack } from '../../storage/carrying/move.ts'
import type { Side } from '../../storage/carrying/side.ts'
import { lockFolder } from '../../storage/db/sqlite/folder-lock.ts'
import type { Reporter } from './reporter.ts'
import { MIGRATIONS, sideOf, targetOf } from './sides.ts'

interface MoveResult extends Moved {
  from: string
  to: string
}

/**
 * `replace`: first removes the data of an earlier move from the target. Throws `bad_request` for an invalid
 * target, and the refusals of `move`.
 */
export async function startMove(
  config: MoveConfig,
  options: { replace: boolean; reporter: Reporter },
): Promise<MoveResult> {
  const source = sideOf(config)
  const target = findTarget(config, source)
  const unlock = lockData(config)
  try {
    await refuseInUse(source)
    const { replace, reporter: progress } = options
    const moved = await move({ source, target, migrations: MIGRATIONS, replace, progress })
    return { from: source.name, to: target.name, ...moved }
  } finally {
    unlock()
  }
}

/** Makes the source of a move usable again. Returns how many databases were not usable. */
export async function undoMove(config: MoveConfig): Promise<number> {
  const unlock = lockData(config)
  try {
    return await takeBack(sideOf(config))
  } finally {
    unlock()
  }
}

function findTarget(config: MoveConfig, source: Side): Side {
  const { to } = config
  if (to === undefined) {
    throw new AppError(
      'bad_request',
      '--to says where to: postgres://…, or sqlite: for the data folder.',
    )
  }
  const target = targetOf(config, to)
  if (!target) {
    throw new AppError(
      'bad_request',
      `--to must be postgres://USER:PASSWORD@HOST:PORT/NAME, or sqlite: for the data folder (${config.dataDir}). "runyard backup" and "runyard restore" lead to another folder.`,
    )
  }
  if (target.name !== source.name) return target
  throw new AppError('bad_request', `--to leads to where everything is already: ${source.name}.`)
}

/** No other process may use the folder meanwhile; a `serve` has no such lock. */
export function lockData({ dataDir, isServe }: DataConfig): () => void {
  if (isServe || !existsSync(dataDir)) return () => {}
  return lockFolder(join(dataDir, 'lock.db'))
}
