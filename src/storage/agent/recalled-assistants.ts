/**
 * Assistants as they were read before, on SQLite: a statement by itself takes 19 µs there, of which most are the locks of the
 * file, and one within a transaction that is open anyway a fifth. On PostgreSQL each would be a round trip, and nothing is kept.
 */
import type { Assistant, AssistantStore } from '../../core/agent/assistant.ts'
import type { Db } from '../db/db.ts'
import { GET_ASSISTANT, toAssistant } from './assistant-search.ts'

type Row = Record<string, unknown>

/** What each assistant that was recalled was read from. */
const recalled = new WeakMap<Assistant, Row>()

/** How many are kept; ids are the clients' to choose. */
const MOST = 1000

type Reading = Pick<AssistantStore, 'get' | 'recall' | 'isStill'>

/** `db` may be a transaction, which keeps nothing. */
export function createAssistantReading(db: Db, { isKept }: { isKept: boolean }): Reading {
  const known = new Map<string, { assistant: Assistant; row: Row }>()
  const get = async (id: string) => {
    const row = await db.get<Row>(GET_ASSISTANT, [id])
    const assistant = row && toAssistant(row)
    if (!isKept) return assistant
    if (known.size >= MOST) known.clear()
    if (assistant) known.set(id, { assistant, row })
    else known.delete(id)
    return assistant
  }
  return {
    get,
    async recall(id) {
      const found = known.get(id)
      if (!found) return get(id)
      // Whoever has read it acts on what was read.
      const assistant = { ...found.assistant }
      recalled.set(assistant, found.row)
      return assistant
    },
    async isStill(assistant) {
      const before = recalled.get(assistant)
      if (!before) return true
      const row = await db.get<Row>(GET_ASSISTANT, [assistant.assistant_id])
      return row !== undefined && Object.keys(row).every((column) => row[column] === before[column])
    },
  }
}
