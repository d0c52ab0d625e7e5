/**
 * The address of an S3-compatible store: `s3://bucket/prefix?endpoint=…&region=…&path_style=…`. And `ArtifactsPlace`,
 * which is such a store or a folder.
 */
import { AppError } from './errors.ts'

export interface S3Address {
  bucket: string
  /** The prefix of every name, with a slash at the end, or empty. */
  prefix: string
  /** Without a slash at the end; `undefined`: Amazon's. */
  endpoint: string | undefined
  region: string
  /** Whether the bucket is in the path and not in the host name. Default: if `endpoint` is given. */
  isPathStyle: boolean
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^([A-Za-z0-9][\w.-]{0,99}\/)*$/
const KNOWN = ['endpoint', 'region', 'path_style']

/** `region`: the default. Throws `bad_request` with the end of a sentence. */
export function parseS3Address(text: string, { region }: { region: string }): S3Address {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:') throw refused('must be s3://bucket/prefix or file:///folder')
  if (url.username || url.password) {
    throw refused('must not hold keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  }
  const { searchParams } = url
  const unknown = [...searchParams.keys()].find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) throw refused(`knows ${KNOWN.join(', ')}, not "${unknown}"`)
  if (!BUCKET.test(url.host)) throw refused('must name a bucket: s3://bucket/prefix')
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  if (!PREFIX.test(prefix && `${prefix}/`)) {
    throw refused('must have a prefix of letters, digits, "_", "." and "-", joined by "/"')
  }
  const endpoint = endpointOf(searchParams.get('endpoint'))
  return {
    bucket: url.host,
    prefix: prefix && `${prefix}/`,
    endpoint,
    region: searchParams.get('region') || region,
    isPathStyle: isPathStyle(searchParams.get('path_style'), endpoint),
  }
}

function endpointOf(text: string | null): string | undefined {
  if (!text) return undefined
  const protocol = URL.parse(text)?.protocol ?? ''
  if (/^https?:$/.test(protocol)) return text.replace(/\/+$/, '')
  throw refused(`must have an http or https URL as its endpoint, not "${text}"`)
}

function isPathStyle(text: string | null, endpoint: string | undefined): boolean {
  if (text === null) return endpoint !== undefined
  if (['1', 'true'].includes(text)) return true
  if (['0', 'false'].includes(text)) return false
  throw refused(`must say path_style=1 or path_style=0, not "${text}"`)
}

function refused(sentence: string): AppError {
  return new AppError('bad_request', sentence)
}

/** Where several control planes share uploads and builds. */
export type ArtifactsPlace =
  | { kind: 's3'; address: S3Address }
  /** A file system that all of them mount; absolute. */
  | { kind: 'folder'; path: string }
