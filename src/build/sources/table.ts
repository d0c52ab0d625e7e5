/** How to fetch each kind of source that is built into a folder; the others are images. */
import { BuildError, type BuildRequest } from '../../core/deployment/builds/build.ts'
import { kindOf, type SourceOf } from '../../core/deployment/sources/table.ts'
import type { FetchSource } from './fetch.ts'
import { fetchGithub } from './github.ts'
import { fetchTarball } from './internal-source.ts'

const FETCHES: Readonly<Record<SourceOf<'folder'>, FetchSource>> = {
  github: fetchGithub,
  internal_source: fetchTarball,
}

/** See `FetchSource`. Throws `BuildError('fetch')` for a source that is an image. */
export const fetchSource: FetchSource = async (request, place, context) => {
  if (!isBuilt(request)) {
    throw new BuildError('fetch', `The source ${request.source} is an image: nothing to build.`)
  }
  return FETCHES[request.source](request, place, context)
}

/** Whether the revision is an image already. */
export function isImageSource({ source }: Pick<BuildRequest, 'source'>): boolean {
  return kindOf(source).artifact === 'image'
}

function isBuilt(request: BuildRequest): request is BuildRequest & { source: SourceOf<'folder'> } {
  return request.source in FETCHES
}
