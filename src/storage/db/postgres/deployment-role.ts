/**
 * The role that a deployment's agent servers log in as. It owns the deployment's schema and has no right on another
 * one, since graph code has all rights of its agent server.
 *
 * The control plane's own user is a member of every such role: it backs up, moves and removes what they own.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { DatabaseError } from 'pg'
import type { Db } from '../db.ts'
import {
  becomeMember,
  closeToOthers,
  handOver,
  letConnect,
  requireRoleRights,
} from './role-rights.ts'

/** Roles belong to all databases of a server, and two control planes may change them at once. */
const LOCK = ['deployment roles']
/** Code of a graph may have left something in another database that the role owns. */
const DEPENDENT_OBJECTS = '2BP01'

/** What a role is for, and named after. */
interface Holding {
  deployment_id: string
  /** The deployment's schema. */
  schema: string
}

interface RoleOrder extends Holding {
  /** The password for the role's name: always the same for the same name; ASCII. */
  passwordOf(role: string): string
}

/** Any number of processes may call any of it at once, and again, while agent servers work. */
export interface DeploymentRoles {
  /** Throws `bad_request`, with a fix, if the user of the database may not create roles that it can use itself. */
  requireRights(): Promise<void>
  /**
   * Creates the role, or brings it up to date, and gives it the schema with everything in it. Returns the role's name.
   */
  ensure(order: RoleOrder): Promise<string>
  /** Ends the role's connections, and lets it open no new ones. Does nothing when there is none. */
  shutOut(holding: Holding): Promise<void>
  /**
   * Removes the role with what it still owns. Does nothing when there is none. A role that owns objects in another
   * database stays, shut out and owning nothing here.
   */
  drop(holding: Holding): Promise<void>
}

/** `db`: the control plane's. */
export function createDeploymentRoles(db: Db): DeploymentRoles {
  return {
    requireRights: () => requireRoleRights(db),
    ensure: (order) => ensureRole(db, order),
    shutOut: (holding) => shutOutRole(db, holding),
    drop: (holding) => dropRole(db, holding),
  }
}

async function ensureRole(db: Db, order: RoleOrder): Promise<string> {
  return db.transaction(async (tx) => {
    const control = await tx.get<{ name: string }>('SELECT current_schema() AS name')
    await searchNothingElse(tx)
    const role = await nameOf(tx, order)
    if (!(await exists(tx, role))) await tx.script(`CREATE ROLE ${role}`)
    await tx.script(`ALTER ROLE ${role} LOGIN PASSWORD '${scramVerifier(order.passwordOf(role))}'`)
    await becomeMember(tx, role)
    await letConnect(tx, role, order.schema)
    await handOver(tx, role, order.schema)
    for (const schema of [control?.name ?? '', 'public']) await closeToOthers(tx, schema)
    return role
  }, LOCK)
}

async function shutOutRole(db: Db, holding: Holding): Promise<void> {
  const role = await withRole(db, holding, (tx, name) =>
    tx.script(`ALTER ROLE ${name} NOLOGIN PASSWORD NULL`),
  )
  if (role === undefined) return
  await db.all('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])
}

async function dropRole(db: Db, holding: Holding): Promise<void> {
  const role = await withRole(db, holding, (tx, name) => tx.script(`DROP OWNED BY ${name} CASCADE`))
  if (role === undefined) return
  try {
    await db.transaction((tx) => tx.script(`DROP ROLE IF EXISTS ${role}`), LOCK)
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== DEPENDENT_OBJECTS) throw error
  }
}

/** Returns the role's name; `undefined`: there is none, and nothing was done. */
async function withRole(
  db: Db,
  holding: Holding,
  work: (tx: Db, role: string) => Promise<void>,
): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    await searchNothingElse(tx)
    const name = await nameOf(tx, holding)
    if (!(await exists(tx, name))) return undefined
    await becomeMember(tx, name)
    await work(tx, name)
    return name
  }, LOCK)
}

/** A name without a schema then finds nothing that another role has created. */
async function searchNothingElse(tx: Db): Promise<void> {
  await tx.script('SET LOCAL search_path = pg_catalog')
}

/** Another database of the server, or another schema, may hold a copy with the same deployments. */
async function nameOf(tx: Db, { deployment_id, schema }: Holding): Promise<string> {
  const row = await tx.get<{ name: string }>('SELECT current_database() AS name')
  const place = createHash('sha256').update(`${row?.name}\n${schema}`)
  const id = deployment_id.toLowerCase().replace(/[^a-z0-9]/g, '')
  return `runyard_${id.slice(0, 40)}_${place.digest('hex').slice(0, 12)}`
}

async function exists(tx: Db, role: string): Promise<boolean> {
  return (await tx.get('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])) !== undefined
}

/** PostgreSQL's default. More would cost time at each login, and passwords of ours cannot be guessed. */
const ITERATIONS = 4096

/**
 * What PostgreSQL keeps instead of a password (RFC 5803): a reader of it, in a log too, cannot log in with it.
 * `password`: only ASCII, since no other text is the same after SASLprep. The result has no quotes.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest()
  const keys = [stored, keyOf('Server Key')].map((key) => key.toString('base64')).join(':')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${keys}`
}
