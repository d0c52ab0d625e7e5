/** The files of the built app, found once and read on request. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The endings of compressed files, by encoding, the best first. */
const ENDINGS = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof ENDINGS

interface AppFile {
  body: Uint8Array<ArrayBuffer>
  /** Changes with the content. */
  etag: string
  encoding: Encoding | undefined
}

interface Build {
  /** The time of `index.html`, which differs in each build. */
  builtAt: number
  page: string
  names: ReadonlySet<string>
  read: Map<string, Promise<AppFile>>
}

/** Opens only names that the folder contains, so that no path leads outside. */
export class AppFiles {
  readonly #folder: string
  #build: Build | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** `index.html` as it was built; `undefined`: nothing is built yet. */
  get page(): string | undefined {
    return this.#current()?.page
  }

  /** A file by its path below the folder, in the best compression that the client accepts. */
  async find(path: string, accepted: readonly Encoding[]): Promise<AppFile | undefined> {
    const build = this.#current()
    if (!build?.names.has(path) || isCompressed(path)) return undefined
    const encoding = accepted.find((one) => build.names.has(path + ENDINGS[one]))
    const name = encoding ? path + ENDINGS[encoding] : path
    const found = build.read.get(name) ?? readWhole(join(this.#folder, name), encoding)
    build.read.set(name, found)
    return found
  }

  /** Checks for a newer build in the folder. */
  #current(): Build | undefined {
    const builtAt = changedAt(join(this.#folder, 'index.html'))
    if (builtAt === undefined) return undefined
    if (this.#build?.builtAt !== builtAt) this.#build = readBuild(this.#folder, builtAt)
    return this.#build
  }
}

/** The encodings that a browser accepts, by its `accept-encoding`. */
export function encodingsIn(header: string | null): Encoding[] {
  const named = (header ?? '').split(',').flatMap((part) => {
    const [name = '', weight] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/)
    return Number(weight ?? 1) > 0 ? [name] : []
  })
  return (Object.keys(ENDINGS) as Encoding[]).filter((one) => named.includes(one))
}

function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

function readBuild(folder: string, builtAt: number): Build {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile() && entry.name !== 'index.html')
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  return { builtAt, page, names: new Set(names), read: new Map() }
}

function isCompressed(path: string): boolean {
  return Object.values(ENDINGS).some((ending) => path.endsWith(ending))
}

async function readWhole(file: string, encoding: Encoding | undefined): Promise<AppFile> {
  const body = new Uint8Array(await readFile(file))
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, etag, encoding }
}
