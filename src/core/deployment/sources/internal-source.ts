/** A tarball that was uploaded. */
import type { SourceKind } from './kind.ts'
import {
  checkConfigPath,
  MAKES_PROJECT_REVISION,
  PROJECT_CONFIG,
  PROJECT_REVISION_CONFIG,
} from './project.ts'

export const internalSource = {
  artifact: 'folder',
  source_config: PROJECT_CONFIG,
  source_revision_config: { source_tarball_path: 'required', ...PROJECT_REVISION_CONFIG },
  // The official CLIs create tarball deployments without naming the file.
  defaults: { langgraph_config_path: 'langgraph.json' },
  makesRevision: MAKES_PROJECT_REVISION,
  upload: 'source_tarball_path',
  hasRepository: false,
  isForOneRevision: true,
  checkRevision: checkConfigPath,
} satisfies SourceKind
