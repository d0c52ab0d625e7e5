/** Audit entries as CSV (RFC 4180), for spreadsheets. */
import type { AuditEntry } from '../../core/people/audit.ts'

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

export function csvHeader(): string {
  return `${COLUMNS.join(',')}\r\n`
}

export function csvRow(entry: AuditEntry): string {
  return `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`
}

/** A name that a spreadsheet would take for a formula gets an apostrophe in front. */
function cell(value: AuditEntry[(typeof COLUMNS)[number]]): string {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
