/** Projects whose servers are killed, by the language of their graphs, and what there is to kill. */
import { dirname } from 'node:path'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { installHostPython, NO_PYTHON } from '../support/hosts/python.ts'

export type Victim = 'server' | 'host' | 'both'

/** A fixture project, and what its server has in its environment. */
export interface KillableProject {
  folder: string
  env?: NodeJS.ProcessEnv
}

interface KillableLanguage {
  language: string
  victims: readonly Victim[]
  project(name: string): Promise<KillableProject>
  /** Why it cannot be tried here. */
  missing: string | undefined
}

export const JAVASCRIPT: KillableLanguage = {
  language: 'JavaScript',
  victims: ['server'],
  project: async (name) => ({ folder: fixtureProject(name, 'javascript') }),
  missing: undefined,
}

export const PYTHON: KillableLanguage = {
  language: 'Python',
  victims: ['server', 'host', 'both'],
  project: async (name) => ({
    folder: fixtureProject(name, 'python'),
    env: { VIRTUAL_ENV: dirname(dirname(await installHostPython())) },
  }),
  missing: NO_PYTHON,
}
