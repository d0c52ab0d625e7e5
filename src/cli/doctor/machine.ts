/** Checks of `runyard doctor` on the machine. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { inspectOwnCertificate } from './certificate.ts'
import { type Finding, failed, ok, warning } from './finding.ts'
import type { DoctorSettings, DoctorTools } from './tools.ts'

const GIB = 1024 ** 3
/** Below the first, little works any more; below the second, a build may not fit. */
const LEAST_DISK_BYTES = GIB / 10
const ENOUGH_DISK_BYTES = GIB
/** A busy machine takes some seconds to start npm. */
const ANSWER_MS = 30_000

/** `isHeld`: a Runyard is using the data folder. */
export async function inspectMachine(
  settings: DoctorSettings,
  isHeld: boolean,
  { readCertificate }: Pick<DoctorTools, 'readCertificate'>,
): Promise<Finding[]> {
  const { tls } = settings
  return [
    ok('node', `${process.versions.node}, ${process.execPath}`),
    await inspectTool('npm', { what: 'what deployments need is installed with it' }),
    await inspectTool('git', { what: 'deployments from repositories need it', isOptional: true }),
    await inspectDisk(settings.dataDir),
    await inspectPort(settings, isHeld),
    ...(tls ? [inspectOwnCertificate(() => readCertificate(tls).cert)] : []),
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

async function inspectPort(settings: DoctorSettings, isHeld: boolean): Promise<Finding> {
  const { host, port } = settings
  const where = `${host}:${port}`
  if (await isFree(host, port)) {
    if (!isHeld) return ok('port', `${where} is free`)
    const says = `a Runyard uses the data folder, but does not listen on ${where}`
    return warning('port', says, 'set RUNYARD_HOST and RUNYARD_PORT as they are for that one')
  }
  if (await isRunyard(settings)) return ok('port', `a Runyard answers at ${where}`)
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

/** Does not verify the certificate, which has another name than the address: the request sends no secrets. */
async function isRunyard({ host, port, tls }: DoctorSettings): Promise<boolean> {
  const { get } = tls ? https : http
  const signal = AbortSignal.timeout(ANSWER_MS)
  const options = { host, port, path: '/ok', signal, agent: false, rejectUnauthorized: false }
  try {
    const [response] = (await once(get(options), 'response')) as [http.IncomingMessage]
    return ((await json(response)) as { ok?: unknown }).ok === true
  } catch {
    return false
  }
}
