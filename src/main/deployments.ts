/** What deployments are built with, run with and removed with, on this machine. */
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createBuilder } from '../build/builder.ts'
import { revisionFolder } from '../build/layout.ts'
import { localProject } from '../build/local-project.ts'
import { createTarballs } from '../build/tarballs.ts'
import type { UpConfig } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { deploymentDatabaseUrl } from '../core/database-url.ts'
import type { Builder } from '../core/deployment/build.ts'
import type { RevisionLogs } from '../core/deployment/revision-log.ts'
import type { RuntimeDriver } from '../core/deployment/runtime.ts'
import type { Sandbox } from '../core/deployment/sandbox.ts'
import type { Log } from '../core/log.ts'
import { bundlePath } from '../graph/js/bundle/write.ts'
import { checkProjectPackages } from '../graph/js/modules/langgraph-package.ts'
import { commandPath, ownPaths } from '../installation/command-path.ts'
import type { DataFolder } from '../installation/data-folder.ts'
import { checkProjectConfig, readProjectConfig } from '../project/config.ts'
import { deployLogPaths } from '../runtime/deploy-log.ts'
import { createDriver } from '../runtime/drivers.ts'
import type { RuntimeParts } from '../runtime/parts.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { dropSchema } from '../storage/open-db.ts'
import { createRevisionLogs } from '../telemetry/revision-logs.ts'

/** A runtime driver is made for each time in which this control plane leads. */
export function openDeployments(
  config: UpConfig,
  folder: DataFolder,
  { home, log }: { home: NonNullable<RuntimeParts['home']>; log: Log },
) {
  const sandbox = openProjectSandbox(config, folder, log)
  return {
    tarballs: createTarballs({ dir: folder.builds }),
    logs: createLogs(folder),
    builder: createProjectBuilder(config, folder, { sandbox, log }),
    createDriver: () => createConfiguredDriver(config, folder, { sandbox, home, log }),
    removeData: createRemoval(config, folder),
  }
}

/** Removes what a deployment leaves beside its builds. */
function createRemoval({ databaseUrl }: UpConfig, folder: DataFolder) {
  return async (deployment_id: string) => {
    if (databaseUrl) await dropSchema(deploymentDatabaseUrl(databaseUrl, deployment_id))
    await folder.removeDeployment(deployment_id)
  }
}

function createConfiguredDriver(
  config: UpConfig,
  folder: DataFolder,
  parts: Required<Pick<RuntimeParts, 'sandbox' | 'home' | 'log'>>,
): RuntimeDriver {
  return createDriver(config.runtime, {
    command: { file: process.execPath, args: [commandPath()] },
    locate: (artifact) => localProject(folder.builds, artifact),
    dataDir: folder.deploymentData,
    databaseUrl: (deployment_id) =>
      config.databaseUrl && deploymentDatabaseUrl(config.databaseUrl, deployment_id),
    logsDir: folder.deploymentLogs,
    env: { ...config.childEnv, ...config.agentServerEnv },
    clock: systemClock,
    ...parts,
  })
}

/** Commands may read Runyard itself, programs that the PATH leads to, and certificates. */
function openProjectSandbox(
  { sandbox, dataDir, childEnv }: UpConfig,
  folder: DataFolder,
  log: Log,
) {
  const { PATH = '', NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO } = childEnv
  const programs = PATH.split(delimiter).filter((path) => isAbsolute(path) && path !== '/')
  const certificates = [NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO]
  const readable = [
    ...ownPaths(),
    process.execPath,
    ...programs.flatMap((path) => [path, join(dirname(path), 'lib/node_modules')]),
    ...certificates.filter((path) => path !== undefined),
  ]
  mkdirSync(folder.builds, { recursive: true, mode: 0o700 })
  return openSandbox({ setting: sandbox, dataDir, readable, log })
}

/** What `build/` and `runtime/` write down about a revision, to be read by the control plane. */
function createLogs(folder: DataFolder): RevisionLogs {
  return createRevisionLogs({
    paths: (kind, revision_id) =>
      kind === 'build'
        ? [revisionFolder(folder.builds, revision_id).log]
        : deployLogPaths(folder.deploymentLogs, revision_id),
  })
}

function createProjectBuilder(
  config: UpConfig,
  folder: DataFolder,
  { sandbox, log }: { sandbox: Sandbox; log: Log },
): Builder {
  return createBuilder({
    dir: folder.builds,
    checkConfig: checkProjectConfig,
    checkPackages: async (configPath, state) =>
      checkProjectPackages(await readProjectConfig(configPath, state), state),
    ownNode: dirname(process.execPath),
    env: config.childEnv,
    sandbox,
    bundler: { command: [process.execPath, bundleCommandPath()], pathOf: bundlePath },
    limits: {
      installMs: config.buildTimeoutMs,
      buildMs: config.buildTimeoutMs,
      maxMemoryBytes: config.buildMemoryBytes,
    },
    clock: systemClock,
    log,
  })
}

/** The script that bundles a project, in a clone as in the package. */
function bundleCommandPath(): string {
  const isCompiled = import.meta.url.endsWith('.js')
  return fileURLToPath(new URL(`bundle-command.${isCompiled ? 'js' : 'ts'}`, import.meta.url))
}
