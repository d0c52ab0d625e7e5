/** Checks of `runyard doctor` in the data folder. They create and change nothing. */
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Weakness } from '../../core/deployment/builds/langgraph.ts'
import type { Inspection } from '../../core/deployment/inspection.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import { inspectDomainCertificates } from './certificate.ts'
import { type Finding, failed, ok, warning } from './finding.ts'
import type { DoctorSettings, DoctorTools } from './tools.ts'

const PUT_BACK = 'stop Runyard, and put back a copy of the data folder'

type Tools = Pick<DoctorTools, 'openSecretBox' | 'inspectDatabase' | 'weaknessesOf'>

/** `isHeld`: a Runyard is using the data folder. */
export async function inspectData(
  settings: DoctorSettings,
  isHeld: boolean,
  tools: Tools,
): Promise<Finding[]> {
  const { dataDir } = settings
  if (!existsSync(dataDir)) {
    const folder = ok('data folder', `${dataDir} is not there yet: the first start makes it`)
    return [folder, ...(await inspectDatabase(settings, tools))]
  }
  const files = ['admin.key', 'encryption.key', 'control-plane.db']
  return [
    inspectFolder(dataDir),
    ...files.flatMap((name) => inspectMode(join(dataDir, name))),
    ...(await inspectDatabase(settings, tools)),
    ...(isHeld ? [] : inspectProcesses(dataDir)),
  ]
}

function inspectFolder(dataDir: string): Finding {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const mend = `chown -R "$(id -un)" ${dataDir}`
    return failed('data folder', `${dataDir} cannot be read and written by this user`, mend)
  }
  return isPrivate(dataDir)
    ? ok('data folder', dataDir)
    : warning('data folder', `${dataDir} is open to other users`, `chmod 700 ${dataDir}`)
}

function inspectMode(file: string): Finding[] {
  if (!existsSync(file) || isPrivate(file)) return []
  return [failed('key files', `${file} is open to other users`, `chmod 600 ${file}`)]
}

/** Windows has no such modes. */
function isPrivate(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o077) === 0
}

async function inspectDatabase(settings: DoctorSettings, tools: Tools): Promise<Finding[]> {
  const { where, name } = databaseOf(settings)
  const isEmpty = [ok('database', `${name} is empty: the first start fills it`)]
  if (settings.databaseUrl === undefined && !existsSync(where)) return isEmpty
  const { box, finding } = openKeys(settings, tools)
  try {
    const inspection = await tools.inspectDatabase(where, box)
    if (!inspection) return isEmpty
    return [
      inspectSchema(name, inspection),
      ...(finding ? [finding] : [inspectSeals(inspection)]),
      ...inspectDomainCertificates(inspection.certified_domains),
      ...(await inspectPackages(inspection, tools)),
      inspectOrphans(settings.dataDir, inspection),
      ...inspectForwarding(inspection),
    ]
  } catch (error) {
    const says = `${name} does not open: ${(error as Error).message}`
    const mend = settings.databaseUrl
      ? 'see that it runs, and that RUNYARD_DATABASE_URL leads to it'
      : PUT_BACK
    return [failed('database', says, mend)]
  }
}

function inspectForwarding({ forwarding_names }: Inspection): Finding[] {
  if (forwarding_names.length === 0) return []
  const says = `agents see the API keys of their callers, and can act as them: ${forwarding_names.join(', ')}`
  const mend =
    'take "forward_api_key" and headers of keys out of "http" in langgraph.json, unless the agents are trusted'
  return [warning('keys of callers', says, mend)]
}

/** `name` does not contain the password. */
function databaseOf({ databaseUrl, dataDir }: DoctorSettings): { where: string; name: string } {
  const file = join(dataDir, 'control-plane.db')
  if (databaseUrl === undefined) return { where: file, name: file }
  const { host, pathname } = new URL(databaseUrl)
  return { where: databaseUrl, name: `PostgreSQL at ${host}${pathname}` }
}

/** The box, or a finding with the reason for none. */
function openKeys(
  { dataDir, encryptionKey }: DoctorSettings,
  { openSecretBox }: Tools,
): { box?: SecretBox; finding?: Finding } {
  const file = join(dataDir, 'encryption.key')
  const what = 'encryption key'
  const mend = 'put it back from a copy of the data folder, or set RUNYARD_ENCRYPTION_KEY'
  if (encryptionKey === undefined && !existsSync(file)) {
    return { finding: failed(what, `${file} is missing`, mend) }
  }
  try {
    return { box: openSecretBox() }
  } catch (error) {
    return { finding: failed(what, `${file}: ${(error as Error).message}`, mend) }
  }
}

function inspectSchema(database: string, inspection: Inspection): Finding {
  const { version, oldestVersion, knownVersion, damage, held } = inspection
  if (held) return failed('database', `${database} is not to be used now`, held)
  if (damage) {
    return failed('database', `${database} is damaged: ${damage}`, PUT_BACK)
  }
  if (version > knownVersion) {
    const says = `${database} has schema version ${version}, this Runyard knows up to ${knownVersion}`
    return failed('database', says, 'use the newer Runyard that wrote it')
  }
  if (version < oldestVersion) {
    const says = `${database} has schema version ${version}, this Runyard begins at version ${oldestVersion}`
    return failed('database', says, 'docs/operations.md, "Upgrades", says how to bring it there')
  }
  const isOld = version < knownVersion
  const next = isOld ? `; the next start brings it to ${knownVersion}` : ''
  return ok('database', `${database}, schema version ${version}${next}`)
}

function inspectSeals({ unopened = 0 }: Inspection): Finding {
  if (unopened === 0) return ok('encryption key', 'opens everything that is encrypted')
  return failed(
    'encryption key',
    `${unopened} secrets or tokens do not open with it`,
    'start with the RUNYARD_ENCRYPTION_KEY that they were written with, or name it in ' +
      'RUNYARD_ENCRYPTION_KEY_OLD',
  )
}

/** Folders of deployments and revisions that the database does not know. */
function inspectOrphans(dataDir: string, { deployment_ids, revision_ids }: Inspection): Finding {
  const owners: [string, Set<string>][] = [
    ['deployments', deployment_ids],
    ['builds/uploads', deployment_ids],
    ['builds/installs', deployment_ids],
    ['builds/revisions', revision_ids],
    ['logs', revision_ids],
  ]
  const orphans = owners.flatMap(([folder, ids]) =>
    namesIn(join(dataDir, folder))
      .filter((name) => !ids.has(name))
      .map((name) => join(dataDir, folder, name)),
  )
  if (orphans.length === 0) return ok('orphans', 'no folder is left over')
  const says = `left over from deployments that are gone: ${orphans.length} of its folders`
  return warning('orphans', says, `rm -r ${orphans.join(' ')}`)
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Agent servers that still run although no Runyard uses the folder; found on Linux only. */
function inspectProcesses(dataDir: string): Finding[] {
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name) && isAgentServer(name, dataDir))
  if (pids.length === 0) return []
  const says = `agent servers run although no Runyard does: ${pids.length}`
  return [warning('orphans', says, `kill ${pids.join(' ')}`)]
}

function isAgentServer(pid: string, dataDir: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return command.includes('--managed') && command.some((word) => word.startsWith(dataDir))
  } catch {
    return false
  }
}

/** One finding for each weakness of a serving revision's packages. */
async function inspectPackages(
  { serving }: Inspection,
  { weaknessesOf }: Pick<DoctorTools, 'weaknessesOf'>,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { name, revision_id } of serving) {
    for (const one of await weaknessesOf(revision_id)) found.push(weaknessFinding(name, one))
  }
  return found.length > 0
    ? found
    : [ok('packages', 'no known weakness of LangChain in what is deployed')]
}

function weaknessFinding(name: string, { says, mended }: Weakness): Finding {
  const isNode = mended.package.startsWith('@')
  const command = isNode
    ? `npm install ${mended.package}@^${mended.version}`
    : `uv add "${mended.package}>=${mended.version}"`
  return warning('packages', `deployment ${name}: ${says}`, `${command}, and deploy it again`)
}
