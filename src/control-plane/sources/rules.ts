/** Which members each source needs or refuses: rules that a schema cannot express. */
import type { ArtifactKind } from '../../core/deployment/artifacts/artifact.ts'
import type { SourceConfig, SourceRevisionConfig } from '../../core/deployment/sources/config.ts'
import type { Need } from '../../core/deployment/sources/kind.ts'
import { kindOf, type Source, sourcesThat } from '../../core/deployment/sources/table.ts'
import { AppError } from '../../core/errors.ts'

/** What the runtime driver can start. */
type Artifacts = readonly ArtifactKind[]

/**
 * Throws `bad_request` when Runyard cannot run the source, when a needed member is missing, or when one
 * belongs to another source; `forbidden` for a member that only an admin may set.
 */
export function checkSource(
  source: Source,
  config: SourceConfig,
  { artifacts, isAdmin }: { artifacts: Artifacts; isAdmin: boolean },
): void {
  refuseUnstartable(source, startableBy(artifacts, config))
  refuseForeign(source, 'source_config', config)
  refuseMissing(source, 'source_config', config)
  kindOf(source).checkConfig?.(config, { isAdmin })
}

/** The same for the configuration of one revision. `deployment`: the configuration of all its revisions. */
export function checkRevisionSource(
  source: Source,
  config: SourceRevisionConfig,
  { deployment, artifacts }: { deployment: SourceConfig; artifacts: Artifacts },
): void {
  refuseUnstartable(source, startableBy(artifacts, deployment))
  refuseForeign(source, 'source_revision_config', config)
  refuseMissing(source, 'source_revision_config', config)
  kindOf(source).checkRevision?.(config)
  checkTogether(source, config, deployment)
}

/** Throws `bad_request` where the two parts of a configuration do not fit together. */
export function checkTogether(
  source: Source,
  config: SourceRevisionConfig,
  deployment: SourceConfig,
): void {
  kindOf(source).checkTogether?.(config, deployment)
}

/** A part of a request; the names of its members are the wire's. */
type Part = 'source_config' | 'source_revision_config'

/** Throws `bad_request` for a member that other sources take and this one does not. */
export function refuseForeign(source: Source, part: Part, config: object): void {
  for (const [member, value] of Object.entries(config)) {
    if (value === null || value === false || needOf(source, part, member)) continue
    const takers = sourcesThat((kind) => member in kind[part])
    if (takers === '') continue
    throw new AppError(
      'bad_request',
      `${part}.${member} is only for source ${takers}; leave it out.`,
    )
  }
}

function refuseMissing(source: Source, part: Part, config: object): void {
  for (const [member, value] of Object.entries(config)) {
    if (value || needOf(source, part, member) !== 'required') continue
    throw new AppError('bad_request', `${part}.${member} is required for source ${source}.`)
  }
}

/**
 * Throws `bad_request` when a revision of `source` needs a member that the deployment was created without,
 * because the deployment has another source.
 */
export function refuseUnprepared(
  source: Source,
  deployment: { name: string; source: Source },
  config: SourceConfig,
): void {
  for (const [member, value] of Object.entries(config)) {
    if (value || needOf(source, 'source_config', member) !== 'required') continue
    throw new AppError(
      'bad_request',
      `revision_source ${source} needs a ${member}, and deployment ${deployment.name} was created ` +
        `without one (source ${deployment.source}).`,
    )
  }
}

function needOf(source: Source, part: Part, member: string): Need | undefined {
  const needs: Readonly<Record<string, Need>> = kindOf(source)[part]
  return needs[member]
}

/** The names of the drivers that start each artifact. */
const DRIVERS: Readonly<Record<ArtifactKind, string>> = {
  folder: 'a runtime driver that starts what is built here',
  image: 'a container runtime driver',
}

/** A listener can always start images. */
function startableBy(artifacts: Artifacts, { listener_id }: SourceConfig): Artifacts {
  return listener_id === null ? artifacts : [...artifacts, 'image']
}

function refuseUnstartable(source: Source, artifacts: Artifacts): void {
  const { artifact } = kindOf(source)
  if (artifacts.includes(artifact)) return
  const others = sourcesThat((kind) => artifacts.includes(kind.artifact))
  throw new AppError(
    'bad_request',
    `The source ${source} needs ${DRIVERS[artifact]}, and none is configured. ` +
      `Use source ${others}.`,
  )
}
