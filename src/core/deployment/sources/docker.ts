/** Images: of a registry elsewhere, which a listener runs them from, and of Runyard's own. */
import type { SourceKind } from './kind.ts'

export const externalDocker = {
  artifact: 'image',
  source_config: { listener_id: 'optional', listener_config: 'optional' },
  source_revision_config: { image_uri: 'required' },
  makesRevision: ['resource_spec'],
  hasRepository: false,
  isForOneRevision: false,
} satisfies SourceKind

export const internalDocker = {
  artifact: 'image',
  source_config: {},
  source_revision_config: { image_uri: 'required' },
  makesRevision: ['resource_spec'],
  hasRepository: false,
  isForOneRevision: true,
} satisfies SourceKind
