/** Images: from another registry, or pushed into the operator's registry. */
import { AppError } from '../../errors.ts'
import { notAnImage, parseImage } from '../images/image.ts'
import type { SourceRevisionConfig } from './config.ts'
import type { SourceKind } from './kind.ts'

export const externalDocker = {
  artifact: 'image',
  source_config: { listener_id: 'optional', listener_config: 'optional' },
  source_revision_config: { image_uri: 'required' },
  makesRevision: ['resource_spec'],
  hasRepository: false,
  isForOneRevision: false,
  checkRevision: checkImage,
} satisfies SourceKind

export const internalDocker = {
  artifact: 'image',
  source_config: {},
  source_revision_config: { image_uri: 'required' },
  makesRevision: ['resource_spec'],
  upload: 'image_uri',
  hasRepository: false,
  isForOneRevision: true,
  checkRevision: checkImage,
} satisfies SourceKind

function checkImage({ image_uri }: SourceRevisionConfig): void {
  const text = image_uri ?? ''
  if (parseImage(text)) return
  throw new AppError('bad_request', `source_revision_config.image_uri ${notAnImage(text)}`)
}
