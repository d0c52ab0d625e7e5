/** Commands that move, back up and restore an installation's data. */
import { Command } from 'commander'
import {
  type BackupConfig,
  type MoveConfig,
  type RestoreConfig,
  readBackupConfig,
  readMoveConfig,
  readRestoreConfig,
} from '../settings/config.ts'
import { optionOf } from '../settings/documentation.ts'
import type { Flags } from '../settings/settings.ts'
import { describeExamples } from './examples.ts'

export interface DataCommands {
  move(config: MoveConfig, options: { replace: boolean; isJson: boolean }): Promise<void>
  undoMove(config: MoveConfig, options: { isJson: boolean }): Promise<void>
  backup(config: BackupConfig, options: { withKeys: boolean; isJson: boolean }): Promise<void>
  restore(config: RestoreConfig, options: { from: string; isJson: boolean }): Promise<void>
}

type Options = Record<string, string | true>

export function dataCommands(loadMain: () => Promise<DataCommands>): Command[] {
  return [moveCommand(loadMain), backupCommand(loadMain), restoreCommand(loadMain)]
}

function moveCommand(loadMain: () => Promise<DataCommands>): Command {
  return withPlace(new Command('move'))
    .description('move everything in the databases from SQLite to PostgreSQL, or back')
    .option(...optionOf('RUNYARD_MOVE_TO', 'move'))
    .option('--replace', 'remove first what an earlier move has left at the target')
    .option('--undo', 'move nothing: make the place usable again that a move has begun to leave')
    .addHelpText(
      'after',
      describeExamples([
        ['runyard move --to postgres://…', 'from the data folder to PostgreSQL'],
        ['runyard move --database-url postgres://… --to sqlite:', 'back into the data folder'],
      ]),
    )
    .exitOverride()
    .action(async (options: Options) => {
      const { json, serve, replace, undo, ...flags } = options
      const config = readMoveConfig(flags as Flags, { isServe: serve === true })
      const main = await loadMain()
      const isJson = json === true
      await (undo
        ? main.undoMove(config, { isJson })
        : main.move(config, { replace: replace === true, isJson }))
    })
}

function backupCommand(loadMain: () => Promise<DataCommands>): Command {
  return withPlace(new Command('backup'))
    .description('write everything of a Runyard into one file, also while it works')
    .option(...optionOf('RUNYARD_BACKUP_TO', 'backup'))
    .option('--with-keys', 'with the encryption key and the admin key in it')
    .addHelpText(
      'after',
      describeExamples([
        ['runyard backup --to /backups/', 'a file with the time in its name'],
        ['runyard backup --to - | gpg -e -r ops > runyard.gpg', 'encrypted by another program'],
      ]),
    )
    .exitOverride()
    .action(async (options: Options) => {
      const { json, serve, withKeys, ...flags } = options
      const config = readBackupConfig(flags as Flags, { isServe: serve === true })
      const main = await loadMain()
      await main.backup(config, { withKeys: withKeys === true, isJson: json === true })
    })
}

function restoreCommand(loadMain: () => Promise<DataCommands>): Command {
  return withPlace(new Command('restore'))
    .argument('<from>', 'the file that "runyard backup" has written; - is standard input')
    .description('restore a backup into an empty data folder')
    .addHelpText(
      'after',
      describeExamples([
        ['runyard restore runyard-20260102T030405Z.tar.gz', 'into ./.runyard, on SQLite'],
        ['runyard restore backup.tar.gz --database-url postgres://…', 'into PostgreSQL'],
      ]),
    )
    .exitOverride()
    .action(async (from: string, options: Options) => {
      const { json, serve, ...flags } = options
      const config = readRestoreConfig(flags as Flags, { isServe: serve === true })
      await (await loadMain()).restore(config, { from, isJson: json === true })
    })
}

function withPlace(command: Command): Command {
  return command
    .option(...optionOf('RUNYARD_DATA_DIR', 'up'))
    .option(...optionOf('RUNYARD_DATABASE_URL', 'up'))
    .option('--serve', 'of one agent server that runs by itself ("runyard serve")')
    .option('--json', 'answer with JSON')
}
