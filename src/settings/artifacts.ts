/** `RUNYARD_ARTIFACTS_URL`: where several control planes share uploads and builds. */
import { fileURLToPath } from 'node:url'
import type { ArtifactsPlace } from '../core/deployment/artifacts/place.ts'
import { AppError } from '../core/errors.ts'
import { parseS3Address } from '../core/s3-address.ts'
import type { Environment, Settings } from './settings.ts'

/** Amazon's first; stores without regions accept it too. */
const REGION = 'us-east-1'

export function readArtifactsPlace(read: Settings, env: Environment): ArtifactsPlace | undefined {
  const name = 'RUNYARD_ARTIFACTS_URL'
  const text = read.value(name)
  if (text === undefined) return undefined
  try {
    if (text.startsWith('file:')) return { kind: 'folder', path: folderOf(text) }
    return { kind: 's3', address: parseS3Address(text, { region: regionOf(env) }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    read.problem(name, error.message)
    return undefined
  }
}

/** For addresses without a region. */
export function regionOf(env: Environment): string {
  return env.AWS_REGION || env.AWS_DEFAULT_REGION || REGION
}

function folderOf(text: string): string {
  const url = URL.parse(text)
  if (url && url.host === '' && url.pathname.length > 1) return fileURLToPath(url)
  throw new AppError('bad_request', `must name a folder: file:///mnt/artifacts, not "${text}"`)
}
