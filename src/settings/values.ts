/**
 * From the text of a setting to its value. A bad text throws `bad_request` with a sentence that continues after the
 * name of the setting.
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseDatabaseUrl } from '../core/database-url.ts'
import { ALLOWANCES, type Allowance } from '../core/deployment/kubernetes-settings.ts'
import type { SandboxSetting } from '../core/deployment/sandbox.ts'
import { AppError } from '../core/errors.ts'
import { type IpRange, isThisMachine, parseIpRange } from '../core/network/ip-range.ts'
import { ROLES, type Role } from '../core/people/api-key.ts'
import { type ArtifactsPlace, parseS3Address } from '../core/s3-address.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The columns of a row that say which values it takes. */
interface Limits {
  min?: number
  max?: number
  values?: readonly string[]
  unit?: 'seconds' | 'minutes' | 'bytes' | 'MiB'
}

/** The value of a number in its unit: times are in ms, sizes in bytes. */
const UNITS = { seconds: 1000, minutes: 60_000, bytes: 1, MiB: 1024 ** 2 }

/** By the type of a row. */
export const TYPES = {
  text: (text: string) => text,
  json: (text: string) => text,
  /** Absolute. */
  path: (text: string) => resolve(text),
  /** An http or https URL, without a slash at the end. */
  url: readUrl,
  port(text: string): number {
    if (/^\d+$/.test(text) && Number(text) <= 65535) return Number(text)
    return refuse(`must be a port number from 0 to 65535, not "${text}"`)
  },
  number(text: string, { min = 1, max, unit = 'bytes' }: Limits): number {
    const count = /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : Number.NaN
    if (count >= min && count <= (max ?? count)) return count * UNITS[unit]
    const form = max === undefined ? 'a whole number above 0' : `a number from ${min} to ${max}`
    return refuse(`must be ${form}, not "${text}"`)
  },
  switch(text: string): boolean {
    if (['0', 'false'].includes(text)) return false
    return ['1', 'true'].includes(text) || refuse(`must be 0 or 1, not "${text}"`)
  },
  choice(text: string, { values = [] }: Limits): string {
    return values.includes(text) ? text : refuse(`must be one of ${values.join(', ')}`)
  },
  /** Separated by commas. */
  list: splitList,
  ranges(text: string): IpRange[] {
    const form = 'must be a list of addresses, ranges such as 10.0.0.0/8, loopback or private'
    return items(text, form, parseIpRange).flat()
  },
}

/** Throws the sentence that continues after the name of the setting. */
function refuse(sentence: string): never {
  throw new AppError('bad_request', sentence)
}

/** The items of a list that is separated by commas. */
export function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** `parse` returns `undefined` for bad items, which the refusal lists after `form`. */
function items<T>(text: string, form: string, parse: (item: string) => T | undefined): T[] {
  const read = splitList(text).map((item) => ({ item, value: parse(item) }))
  const bad = read.filter(({ value }) => value === undefined).map(({ item }) => `"${item}"`)
  if (bad.length > 0) refuse(`${form}, not ${bad.join(' and ')}`)
  return read.map(({ value }) => value as T)
}

function readUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text.replace(/\/+$/, '')
  return refuse(`must be an http or https URL, not "${text}"`)
}

/** A text of this form. `is` completes "must be …". */
export function matching(form: RegExp, is: string) {
  return (text: string) => (form.test(text) ? text : refuse(`must be ${is}`))
}

/** The refusal does not contain the URL, which holds a password. */
export function readDatabaseUrl(text: string): string {
  parseDatabaseUrl(text)
  return text
}

export function readDomain(text: string): string {
  const domain = text.toLowerCase()
  if (DOMAIN.test(domain)) return domain
  return refuse(`must be a domain such as agents.example.com, not "${domain}"`)
}

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The key that commands and listeners send. */
export function readApiKey(text: string): string {
  const key = text.trim()
  return /^[\x21-\x7e]+$/.test(key) ? key : refuse('must be printable characters without spaces')
}

/** 32 bytes each, separated by commas. */
export function readEncryptionKeys(text: string): Buffer[] {
  const keys = splitList(text).map((item) => Buffer.from(item, 'base64'))
  const bad = keys.find(({ length }) => length !== 32)
  return bad ? refuse(`must be 32 bytes in base64, these are ${bad.length}`) : keys
}

/** A URL with TLS, or on this machine: plain text from elsewhere proves nothing. */
export function readIssuer(text: string): string {
  const url = URL.parse(text)
  const isPlain = url?.protocol === 'http:' && isThisMachine(url.hostname)
  if (url?.protocol === 'https:' || isPlain) return text
  return refuse(`must be an https URL, not "${text}"`)
}

/** By the value of the claim: `value=role,…`. */
export function readRoles(text: string): Record<string, Role> {
  const pairs = text.split(',').map((pair) => pair.trim().split(/=(?=[^=]*$)/))
  const known = pairs.flatMap(([value, name]): [string, Role][] => {
    const role = ROLES.find((one) => one === name)
    return value && role ? [[value, role]] : []
  })
  if (known.length === pairs.length) return Object.fromEntries(known)
  const form = `"value=role,…" with roles out of ${ROLES.join(', ')}`
  return refuse(`must be ${form}, not "${text}"`)
}

/** `file:///folder`, or `s3://…`; an address without a region is in that of `AWS_REGION`. */
export function readArtifactsPlace(text: string, _: Limits, env: Environment): ArtifactsPlace {
  if (!text.startsWith('file:')) {
    return { kind: 's3', address: parseS3Address(text, { region: regionOf(env) }) }
  }
  const url = URL.parse(text)
  if (url && url.host === '' && url.pathname.length > 1) {
    return { kind: 'folder', path: fileURLToPath(url) }
  }
  return refuse(`must name a folder: file:///mnt/artifacts, not "${text}"`)
}

/** By default Amazon's first; stores without regions accept it too. */
export function regionOf(env: Environment): string {
  return env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1'
}

/** The registry, and folders in it. Engines accept no other names than folders in lower case. */
export function readRegistryUrl(text: string): string {
  const url = readUrl(text)
  if (/^https?:\/\/[^/@]+(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/.test(url)) return url
  const form = 'a host and folders in small letters, such as https://registry.example.com/team'
  return refuse(`must be ${form}, without a password`)
}

/** `{workspace_id}` in it gives each workspace a namespace of its own. */
export function readNamespace(text: string): string {
  const named = text.replace('{workspace_id}', '00000000-0000-0000-0000-000000000000')
  if (/^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(named)) return text
  return refuse(`must be a namespace, or one with {workspace_id} in it, not "${text}"`)
}

/** The value of a label. */
export function readInstallation(text: string): string {
  if (/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(text)) return text
  return refuse(`must be up to 63 letters, digits, ".", "_" and "-", not "${text}"`)
}

export function readAllowances(text: string): Allowance[] {
  const form = `must hold some of ${ALLOWANCES.join(', ')}`
  return items(text, form, (item) => ALLOWANCES.find((one) => one === item))
}

/** As CIDRs. */
export function readCidrs(text: string): string[] {
  return TYPES.ranges(text).map(([address, bits]) => `${address}/${bits}`)
}

export function readSandbox(text: string): SandboxSetting {
  if (['off', 'auto', ''].includes(text.trim())) {
    return { mode: text.trim() === 'auto' ? 'auto' : 'off' }
  }
  const setting: SandboxSetting = { mode: 'given' }
  for (const part of text.split(',').map((one) => one.trim())) {
    const user = /^user:([a-z_][\w.-]{0,31}|\d{1,10})$/i.exec(part)?.[1]
    if (part === 'bwrap') setting.isBubblewrap = true
    else if (user !== undefined) setting.user = user
    else refuse(`must be off, auto, bwrap, user:NAME or both, not "${text.trim()}"`)
  }
  const isRoot = setting.user === 'root' || Number(setting.user) === 0
  return isRoot ? refuse('must name another user than root') : setting
}

/** In lower case. */
export function readHosts(text: string): string[] {
  const form = 'must be a list of names such as agents.test, .agents.test or *, without ports'
  return items(text, form, (host) =>
    host === '*' || /^[\w.-]+$/.test(host) ? host.toLowerCase() : undefined,
  )
}

export function readOrigins(text: string): string[] {
  return items(text, 'must be a list of origins such as https://app.test, or *', (origin) =>
    ['*', 'null', URL.parse(origin)?.origin].includes(origin) ? origin : undefined,
  )
}
