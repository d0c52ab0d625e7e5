/** Where backups are written to and read from: a file, a pipe, or an S3-compatible store. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import { AppError } from '../../core/errors.ts'
import { parseS3Address } from '../../core/s3-address.ts'
import type { BackupConfig, RestoreConfig } from '../../settings/config.ts'

/** A higher level takes several times as long and saves a tenth of the size. */
const LEVEL = constants.Z_BEST_SPEED

export interface BackupPlace {
  /** `undefined`: standard output. */
  name: string | undefined
  /** Stores the archive, compressed; all of it or nothing. Returns its size in bytes. */
  put(archive: AsyncIterable<Uint8Array>): Promise<number>
}

interface BackupSource {
  /** The archive from its beginning, not compressed. */
  read(): Promise<AsyncIterable<Uint8Array>>
  close(): Promise<void>
}

/**
 * `to`: a file, a folder, `s3://…`, or `-`. Throws `conflict` when the file already exists, and the errors of
 * the store.
 */
export async function backupPlace(
  { to, s3Region }: Pick<BackupConfig, 'to' | 's3Region'>,
  { created_at }: { created_at: string },
): Promise<BackupPlace> {
  if (to === '-') return { name: undefined, put: putToOutput }
  if (isS3(to)) return placeInStore(to, s3Region, created_at)
  const path = fileIn(resolve(to), to.endsWith('/'), created_at)
  if (!existsSync(path)) return { name: path, put: (archive) => putToFile(path, archive) }
  throw new AppError('conflict', `${path} is there already: name another file.`)
}

function fileIn(path: string, isFolder: boolean, created_at: string): string {
  if (!isFolder && !(existsSync(path) && statSync(path).isDirectory())) return path
  return join(path, nameOf(created_at))
}

function nameOf(created_at: string): string {
  return `runyard-${created_at.slice(0, 19).replace(/[-:]/g, '')}Z.tar.gz`
}

async function putToFile(path: string, archive: AsyncIterable<Uint8Array>): Promise<number> {
  const unfinished = `${path}.${randomUUID().slice(0, 8)}.part`
  try {
    await mkdir(dirname(path), { recursive: true })
    await pipeline(archive, gzip(), createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }))
    await sync(unfinished)
    await rename(unfinished, path)
    await sync(dirname(path))
    return (await stat(path)).size
  } catch (error) {
    await rm(unfinished, { force: true })
    throw asRefusal(path, error)
  }
}

async function putToOutput(archive: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  await pipeline(archive, gzip(), async (chunks) => {
    for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
    }
  })
  return bytes
}

function gzip() {
  return createGzip({ level: LEVEL })
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}

/** `from`: a file, `s3://…`, or `-`, which is copied to a temporary file. */
export async function openBackup(
  from: string,
  { s3Region }: Pick<RestoreConfig, 's3Region'>,
): Promise<BackupSource> {
  if (from === '-') return spooled()
  if (isS3(from)) return sourceInStore(from, s3Region)
  const path = resolve(from)
  if (!existsSync(path)) throw new AppError('not_found', `There is no file ${path}.`)
  return sourceInFile(path, async () => {})
}

function sourceInFile(path: string, close: () => Promise<void>): BackupSource {
  return { read: async () => unzipped(createReadStream(path), path), close }
}

function isS3(where: string): boolean {
  return where.startsWith('s3:')
}

async function placeInStore(to: string, region: string, created_at: string): Promise<BackupPlace> {
  const { objects, name = nameOf(created_at) } = await openStore(to, region)
  if ((await objects.size(name)) !== undefined) {
    throw new AppError('conflict', `The store has an object ${name} already: name another one.`)
  }
  const put = (archive: AsyncIterable<Uint8Array>) => {
    const content = gzip()
    // A failure here ends `content`, so that the store sees it.
    pipeline(archive, content).catch(() => {})
    return objects.put(name, content)
  }
  return { name: `${to.split('?')[0]?.replace(/\/$/, '')} (${name})`, put }
}

async function sourceInStore(from: string, region: string): Promise<BackupSource> {
  const { objects, name } = await openStore(from, region)
  if (name === undefined) {
    throw new AppError('bad_request', 'The address must end with the name of a backup: ….tar.gz.')
  }
  return {
    async read() {
      const found = await objects.get(name)
      if (!found) throw new AppError('not_found', `The store has no object ${name}.`)
      return unzipped(Readable.from(found.body, { objectMode: false }), from.split('?')[0] ?? '')
    },
    close: async () => {},
  }
}

/** The store of the URL, and the name of the object if the URL ends with one. */
async function openStore(text: string, region: string) {
  const [, folder = text, name, query = ''] = /^([^?]*\/)([^/?]+\.gz)(\?.*)?$/.exec(text) ?? []
  const address = parseS3Address(name === undefined ? text : `${folder}${query}`, { region })
  const { openS3Objects } = await import('../../artifacts/s3-objects.ts')
  return { objects: await openS3Objects(address), name }
}

async function spooled(): Promise<BackupSource> {
  const path = join(tmpdir(), `runyard-restore-${randomUUID()}`)
  const close = () => rm(path, { force: true })
  try {
    await pipeline(process.stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    await chmod(path, 0o600)
    return sourceInFile(path, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function* unzipped(file: Readable, path: string): AsyncGenerator<Uint8Array> {
  const content = createGunzip()
  file.once('error', (error) => content.destroy(error))
  try {
    yield* file.pipe(content)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const why = (cause as Error).message
    throw new AppError('bad_request', `${path} is no sound backup: ${why}.`, { cause })
  } finally {
    file.destroy()
  }
}

function asRefusal(path: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof AppError || code === undefined || !/^E[A-Z]+$/.test(code)) return error
  const what = `The backup cannot be written to ${path}: ${message}.`
  return new AppError('unavailable', what, { cause: error })
}
