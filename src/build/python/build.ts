/** Prepares and installs the Python of a project. */
import { mkdirSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import type { PythonSettings } from '../../project/python/settings.ts'
import { environmentPython, pythonsFolder, uvsFolder } from '../layout.ts'
import type { StepContext } from '../step.ts'
import { checkLangGraph, ENVIRONMENT, installPython, makeEnvironment } from './install.ts'
import { pythonWeaknesses } from './installed-packages.ts'
import { installerSettings } from './installer-settings.ts'
import { findPython } from './interpreter.ts'
import { findUv } from './uv.ts'

interface PythonPlace {
  settings: PythonSettings
  /** The uv of the machine: a path, or a name to look for on the PATH. */
  uv: string
  /** The builder's folder. */
  dir: string
  deployment_id: string
  /** Its deployments share packages; absent: none are shared. */
  workspace_id?: string
  /** The source's top folder. */
  source: string
  /** The folder of `langgraph.json`. */
  root: string
  /** Whether packages are kept from build to build. */
  isKept: boolean
  /** Whether its environment sees packages beside its Python, installed by the lines of an image. */
  seesSystem: boolean
}

/** An available Python whose environment is still to be made. */
export interface PreparedPython {
  /** Where the environment lies; absolute. */
  environment: string
  /** Variables for the project's commands. */
  env: Readonly<Record<string, string>>
  /** Makes the environment with only pip, for the project's own install command. */
  makeEmpty(context: StepContext): Promise<void>
  /** Makes the environment with all dependencies of the project. */
  install(context: StepContext): Promise<void>
  /** Throws `BuildError` if it has no working LangGraph. */
  check(state: { isBuilt: boolean }, context: StepContext): Promise<void>
}

/** Shared folders that the project's commands may read. */
export function pythonFolders(dir: string): string[] {
  return [uvsFolder(dir), pythonsFolder(dir)]
}

/**
 * Finds or brings uv and the Python that the project asks for. `context`: of Runyard's own commands;
 * `confined`: of the project's. Throws `BuildError`.
 */
export async function preparePython(
  place: PythonPlace,
  { context, confined }: { context: StepContext; confined: StepContext },
): Promise<PreparedPython> {
  const { settings, dir } = place
  // With links resolved, as for langgraph.json: a data folder may lie behind a link.
  const [source, root] = await Promise.all([realpath(place.source), realpath(place.root)])
  for (const folder of pythonFolders(dir)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const uv = await findUv({ dir, own: place.uv }, context, confined)
  const search = { uv, dir, version: settings.version, root, source, home: context.env.HOME }
  const python = await findPython(search, context, confined)
  context.log.line(
    `Python: ${python.version} at ${python.path} (${python.because}); uv ${uv.version}.`,
  )
  const install = { ...place, source, root, uv, python }
  const environment = join(source, ENVIRONMENT)
  return {
    environment: join(place.source, ENVIRONMENT),
    env: {
      ...(await installerSettings({ source, root, file: settings.pipConfigFile }, confined.env)),
      PATH: [join(environment, 'bin'), uvFolderOf(uv.command), confined.env.PATH]
        .filter((one) => one)
        .join(delimiter),
      VIRTUAL_ENV: environment,
      UV_PROJECT_ENVIRONMENT: environment,
      // Nothing is installed into the Python of the machine, whatever a project's command says.
      UV_PYTHON: environmentPython(environment),
      PIP_REQUIRE_VIRTUALENV: '1',
      UV_PYTHON_INSTALL_DIR: pythonsFolder(dir),
      UV_PYTHON_DOWNLOADS: 'never',
      // A project that changes its installed packages must not reach other projects through uv's cache.
      UV_LINK_MODE: 'copy',
      UV_NO_PROGRESS: '1',
    },
    makeEmpty: (own) => makeEnvironment(install, own, { hasPip: true }),
    install: (own) => installPython(install, own),
    async check(state) {
      const version = await checkLangGraph(source, state)
      if (version !== undefined) context.log.line(`LangGraph: ${version} (Python).`)
      if (!state.isBuilt) return
      for (const { says, mended } of await pythonWeaknesses(environment)) {
        context.log.line(`Warning: ${says}. Ask for "${mended.package}>=${mended.version}".`)
      }
    },
  }
}

/** The project's own commands may need it; the machine's is on the PATH already. */
function uvFolderOf(command: string): string | undefined {
  return command.includes('/') ? dirname(command) : undefined
}
