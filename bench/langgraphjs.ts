/** `langgraphjs dev`, the official server for TypeScript, on this Node and with the graph of a project. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type OfficialServer, startOfficialServer } from './official-server.ts'
import { benchProject, temporaryFolder } from './server.ts'

/** Also used by the test of the official CLI. */
const PEER = resolve(import.meta.dirname, '../test/peer/langgraph-cli')
const MODULES = join(PEER, 'node_modules')

/** With its defaults and `more` arguments; it keeps everything in memory. `stop` ends it and removes its folder. */
export async function startLanggraphjsDev(
  project = benchProject('echo'),
  more: readonly string[] = [],
): Promise<OfficialServer> {
  installPeer()
  const folder = await temporaryFolder()
  await cp(project, folder.path, { recursive: true })
  const config = join(folder.path, 'langgraph.json')
  const { graphs } = JSON.parse(await readFile(config, 'utf8'))
  await writeFile(config, JSON.stringify({ node_version: '20', graphs }))
  await symlink(MODULES, join(folder.path, 'node_modules'))
  const script = join(MODULES, '@langchain/langgraph-cli/dist/cli/cli.mjs')
  const args = [script, 'dev', '--no-browser', '--host', '127.0.0.1', ...more] as const
  // It starts more Node processes by name.
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const server = await startOfficialServer([process.execPath, ...args], { cwd: folder.path, env })
  return {
    ...server,
    async stop() {
      await server.stop()
      await folder.remove()
    },
  }
}

/** Throws npm's error. */
function installPeer(): void {
  // npm writes this file last.
  if (existsSync(join(MODULES, '.package-lock.json'))) return
  const args = ['ci', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', args, { cwd: PEER, stdio: ['ignore', 2, 'inherit'] })
}
