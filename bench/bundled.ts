/** The echo graph as in a deployment: bundled, with its packages beside it, and with the bundled agent server. */
import { cp, mkdir, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { bundleProject } from '../src/graph/js/bundle/write.ts'
import { agentProgramPath } from '../src/main/installation/agent-program.ts'
import { readProjectConfig } from '../src/project/config.ts'
import { startManagedServe } from '../test/support/processes/managed-serve.ts'
import { benchProject, type Server, stoppable, temporaryFolder } from './server.ts'

const MODULES = resolve(import.meta.dirname, '../node_modules')

export interface BundledProject {
  /** The folder of its sources. */
  path: string
  /** The bundle of its modules. */
  bundlePath: string
  /** Starts a listening agent server with a data folder of its own; requests carry `GATEWAY`. */
  start(): Promise<Pick<Server, 'url' | 'pid' | 'stop'>>
  remove(): Promise<void>
}

export async function bundleEcho(): Promise<BundledProject> {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'project')
  await cp(benchProject('echo'), path, { recursive: true })
  await mkdir(join(path, 'node_modules'))
  for (const name of ['@langchain', 'langsmith', 'zod']) {
    await symlink(join(MODULES, name), join(path, 'node_modules', name))
  }
  const configPath = join(path, 'langgraph.json')
  const made = await bundleProject(await readProjectConfig(configPath))
  if ('reason' in made) throw new Error(made.reason)
  const bundlePath = made.file
  let count = 0
  return {
    path,
    bundlePath,
    async start() {
      count += 1
      const dataDir = join(folder.path, String(count))
      await mkdir(dataDir)
      const program = agentProgramPath()
      const started = await startManagedServe({ configPath, dataDir, bundlePath, program })
      return { url: started.url, ...stoppable(started.process) }
    },
    remove: folder.remove,
  }
}
