/** All kinds of sources. `build/sources/fetch.ts` lists how each is fetched. */
import { externalDocker, internalDocker } from './docker.ts'
import { github } from './github.ts'
import { internalSource } from './internal-source.ts'
import type { SourceKind } from './kind.ts'

const KINDS = {
  github,
  external_docker: externalDocker,
  internal_docker: internalDocker,
  internal_source: internalSource,
}

/** Where a revision's code comes from. */
export type Source = keyof typeof KINDS

/** The sources that a build turns into this kind of artifact. */
export type SourceOf<A extends SourceKind['artifact']> = {
  [S in Source]: (typeof KINDS)[S]['artifact'] extends A ? S : never
}[Source]

export const SOURCES = Object.keys(KINDS) as [Source, ...Source[]]

export function kindOf(source: Source): SourceKind {
  return KINDS[source]
}

/** The sources whose kind fits, in words: `github or internal_source`. */
export function sourcesThat(isSo: (kind: SourceKind) => boolean): string {
  return SOURCES.filter((source) => isSo(kindOf(source))).join(' or ')
}
