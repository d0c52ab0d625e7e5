/** Reads the audit log. */
import type { Principal } from '../../core/people/api-key.ts'
import type { AuditEntry } from '../../core/people/audit.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from './audit.ts'
import { type AuditEntryAnswer, AuditEntrySchema, type AuditQuery } from './audit-log-schemas.ts'

/** How many entries an export reads at once. */
const EXPORT_PAGE = 500

/** The workspace's entries, newest first. */
export async function readAuditLog(
  { store }: Pick<ControlPlaneParts, 'store'>,
  { workspace_id }: Principal,
  { limit, cursor, ...filter }: AuditQuery & { limit: number; cursor?: number | undefined },
): Promise<{ items: AuditEntryAnswer[]; next_cursor: string | null }> {
  const page = { limit, before: cursor }
  const { entries, next } = await store.auditLog.list({ ...filter, workspace_id }, page)
  const items = entries.map((entry) => answerOf(AuditEntrySchema, entry))
  return { items, next_cursor: next === undefined ? null : String(next) }
}

/**
 * The same as one text, read while it is sent. The export is an entry too, written before the first line
 * is read.
 */
export async function exportAuditLog(
  { store, clock }: Pick<ControlPlaneParts, 'store' | 'clock'>,
  principal: Principal,
  { format, ...filter }: AuditQuery & { format: 'jsonl' | 'csv' },
): Promise<ReadableStream<Uint8Array>> {
  const { workspace_id } = principal
  const detail = { format }
  await record(store, clock, principal, {
    action: 'audit_log.export',
    target_id: workspace_id,
    detail,
  })
  async function* lines(): AsyncGenerator<string> {
    if (format === 'csv') yield csvHeader()
    let before: number | undefined
    do {
      const page = await store.auditLog.list(
        { ...filter, workspace_id },
        { limit: EXPORT_PAGE, before },
      )
      yield page.entries.map(format === 'csv' ? csvRow : jsonLine).join('')
      before = page.next
    } while (before !== undefined)
  }
  return ReadableStream.from(lines()).pipeThrough(new TextEncoderStream())
}

function jsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(answerOf(AuditEntrySchema, entry))}\n`
}

/** The columns of an export as CSV (RFC 4180), for spreadsheets. */
const COLUMNS = [
  'created_at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'target_id',
  'target_name',
  'detail',
  'workspace_id',
  'id',
] as const satisfies (keyof AuditEntry)[]

function csvHeader(): string {
  return `${COLUMNS.join(',')}\r\n`
}

function csvRow(entry: AuditEntry): string {
  return `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`
}

/** Adds an apostrophe in front of text that a spreadsheet would take for a formula. */
function cell(value: AuditEntry[(typeof COLUMNS)[number]]): string {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
