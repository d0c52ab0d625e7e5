/** Shared by the kinds of sources whose project is built here. */
import { AppError } from '../../errors.ts'
import type { SourceRevisionConfig } from './config.ts'

export const PROJECT_CONFIG = { install_command: 'optional', build_command: 'optional' } as const

export const PROJECT_REVISION_CONFIG = { langgraph_config_path: 'required' } as const

export const MAKES_PROJECT_REVISION = ['resource_spec', 'install_command', 'build_command'] as const

/** Throws `bad_request` for a `langgraph_config_path` that is no path inside the source. */
export function checkConfigPath({ langgraph_config_path: path }: SourceRevisionConfig): void {
  if (path && isRelative(path) && !path.split('/').includes('..')) return
  throw new AppError(
    'bad_request',
    'source_revision_config.langgraph_config_path must be a relative path inside the source, ' +
      'such as langgraph.json or agents/langgraph.json.',
  )
}

function isRelative(path: string): boolean {
  return !path.startsWith('/') && !path.includes('\\') && !/^[A-Za-z]:/.test(path)
}
