/** Reads labels and triggers of an image from its manifest and configuration. */
import { jsonIn } from '../../core/json.ts'

/** Of an index: the manifest for this machine's processor, or else the first one. `undefined`: it is no index. */
export function chooseManifest(manifest: unknown): string | undefined {
  const { manifests } = record(manifest)
  if (!Array.isArray(manifests)) return undefined
  const all = manifests.map(record)
  const own = all.find(({ platform }) => {
    const { os, architecture } = record(platform)
    return os === 'linux' && architecture === ARCHITECTURE
  })
  return digestIn(own ?? all[0])
}

/** The digest of its configuration; `undefined`: it is no manifest of an image. */
export function configurationOf(manifest: unknown): string | undefined {
  return digestIn(record(manifest).config)
}

export function labelsIn(configuration: unknown): Record<string, string> {
  const { Labels } = record(record(configuration).config)
  const pairs = Object.entries(record(Labels))
  return Object.fromEntries(pairs.flatMap(([k, v]) => (typeof v === 'string' ? [[k, v]] : [])))
}

/** Whether a configuration has `ONBUILD` instructions: its text is looked at, for engines know names in any case. */
export function hasTriggersIn(configuration: string): boolean {
  return /"onbuild"\s*:(?!\s*(?:null\b|\[\s*\]))/i.test(unescaped(configuration))
}

/**
 * The manifests that an engine of this machine may take: `'itself'` if this is no index. `undefined`: it can be read in
 * two ways, or in none.
 */
export function possibleManifests(text: string): string[] | 'itself' | undefined {
  if (hasOddNames(unescaped(text))) return undefined
  const manifest = jsonIn(text)
  const { manifests, config } = record(manifest)
  if (manifests === undefined) return configurationOf(manifest) === undefined ? undefined : 'itself'
  if (!Array.isArray(manifests) || config !== undefined) return undefined
  const own = manifests.map(record).filter(({ platform }) => {
    const { architecture } = record(platform)
    return architecture === ARCHITECTURE || !OTHERS.includes(architecture)
  })
  const digests = own.map(digestIn)
  const isFew = digests.length > 0 && digests.length <= MOST_MANIFESTS
  return isFew && digests.every(isText) ? digests : undefined
}

/** Engines would read `Config` as `config`. */
function hasOddNames(json: string): boolean {
  const names = [...json.matchAll(/"(manifests|config|digest|platform|architecture)"\s*:/gi)]
  return names.some(([, name]) => name !== name?.toLowerCase())
}

function unescaped(json: string): string {
  return json.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function isText(value: string | undefined): value is string {
  return value !== undefined
}

/** Architectures that an engine never takes for this machine's, which has several names (`x86_64`). */
const OTHERS: unknown[] = [
  ...['amd64', '386', 'arm64', 'arm', 'ppc64le', 's390x', 'riscv64', 'mips64le', 'loong64'],
  'unknown',
]

/** One architecture has a few variants and their attestations. */
const MOST_MANIFESTS = 32

const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch
const DIGEST = /^sha256:[0-9a-f]{64}$/

function digestIn(descriptor: unknown): string | undefined {
  const { digest } = record(descriptor)
  return typeof digest === 'string' && DIGEST.test(digest) ? digest : undefined
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
