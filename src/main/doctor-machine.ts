/** What `runyard doctor` looks at on the machine. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { UpConfig } from '../config.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const GIB = 1024 ** 3
/** Below this little works any more; below the other a build may not fit. */
const LEAST_DISK_BYTES = GIB / 10
const ENOUGH_DISK_BYTES = GIB
const ANSWER_MS = 10_000

/** `isHeld`: a Runyard is using the data folder. */
export async function inspectMachine(config: UpConfig, isHeld: boolean): Promise<Finding[]> {
  return [
    ok('node', `${process.versions.node}, ${process.execPath}`),
    await inspectTool('npm', { what: 'what deployments need is installed with it' }),
    await inspectTool('git', { what: 'deployments from repositories need it', isOptional: true }),
    await inspectDisk(config.dataDir),
    await inspectPort(config, isHeld),
  ]
}

async function inspectTool(
  name: string,
  { what, isOptional = false }: { what: string; isOptional?: boolean },
): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(name, ['--version'], { timeout: ANSWER_MS })
    return ok(name, stdout.trim())
  } catch {
    const mend = `install ${name}, or put it on the PATH`
    const says = `"${name} --version" does not work: ${what}`
    return isOptional ? warning(name, says, mend) : failed(name, says, mend)
  }
}

async function inspectDisk(dataDir: string): Promise<Finding> {
  const folder = nearestFolder(dataDir)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const says = `${(free / GIB).toFixed(1)} GiB free at ${folder}`
  const mend = 'make room, or choose another place with RUNYARD_DATA_DIR'
  if (free < LEAST_DISK_BYTES) return failed('disk', says, mend)
  return free < ENOUGH_DISK_BYTES ? warning('disk', says, mend) : ok('disk', says)
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

async function inspectPort({ host, port }: UpConfig, isHeld: boolean): Promise<Finding> {
  const where = `${host}:${port}`
  if (await isFree(host, port)) {
    if (!isHeld) return ok('port', `${where} is free`)
    const says = `a Runyard uses the data folder, but does not listen on ${where}`
    return warning('port', says, 'set RUNYARD_HOST and RUNYARD_PORT as they are for that one')
  }
  if (await isRunyard(host, port)) return ok('port', `a Runyard answers at ${where}`)
  const mend = 'stop what listens there, or choose another port with RUNYARD_PORT'
  return failed('port', `something else listens on ${where}, or the address cannot be had`, mend)
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

async function isRunyard(host: string, port: number): Promise<boolean> {
  const at = host.includes(':') ? `[${host}]` : host
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const response = await fetch(`http://${at}:${port}/ok`, { signal })
    return ((await response.json()) as { ok?: unknown }).ok === true
  } catch {
    return false
  }
}
