/** Whether a Runyard works on a database: each one writes a sign of life into it every second. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import { readTables } from './catalogue.ts'
import { type Member, membersOf, type Side, using } from './side.ts'

/** Longer than two signs of life are apart, in ms. */
const LOOK_MS = 4_000

/** The latest sign of life of each process. */
type Signs = Map<string, number>

/**
 * Throws `conflict` when a process gives a sign of life in one of the databases. Takes a few seconds if a process has
 * left its record behind, as a killed one does.
 */
export async function refuseInUse(side: Side): Promise<void> {
  const members = await membersOf(side)
  const before = await signsOf(side, members)
  if (before.size === 0) return
  await sleep(LOOK_MS)
  const after = await signsOf(side, members)
  const living = [...after].find(([whose, sign]) => before.get(whose) !== sign)
  if (!living) return
  const what = `${living[0]} is running on ${side.name}: stop every Runyard that uses it, then run this again.`
  throw new AppError('conflict', what)
}

async function signsOf(side: Side, members: readonly Member[]): Promise<Signs> {
  const signs: Signs = new Map()
  for (const member of members) {
    for (const { whose, sign } of await signsIn(side, member)) signs.set(whose, sign)
  }
  return signs
}

function signsIn(side: Side, member: Member): Promise<{ whose: string; sign: number }[]> {
  return using(side, member, async (db) => {
    const tables = await readTables({ reader: db, schema: undefined }, member.kind)
    if (tables.has('servers')) {
      const rows = await db.all<{ id: string; seen_at: number }>(
        'SELECT server_id AS id, seen_at FROM servers',
      )
      return rows.map(({ id, seen_at }) => ({
        whose: `An agent server of ${member.name} (${id})`,
        sign: seen_at,
      }))
    }
    if (!tables.has('leadership')) return []
    const rows = await db.all<{ holder: string; beat: number }>(
      'SELECT holder, beat FROM leadership WHERE holder IS NOT NULL',
    )
    return rows.map(({ holder, beat }) => ({ whose: `A control plane (${holder})`, sign: beat }))
  })
}
