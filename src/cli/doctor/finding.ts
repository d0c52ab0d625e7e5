/** Findings of `runyard doctor`. */

export interface Finding {
  /** The subject of the check. */
  what: string
  /** `warning`: it works, but not as it should. `failed`: it does not work, or not safely. */
  status: 'ok' | 'warning' | 'failed'
  says: string
  /** The fix, mostly a command. */
  mend?: string
}

/** A line for each, with its fix below. */
export function describeFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length))
  return findings
    .map(({ what, status, says, mend }) => {
      const line = `${status.padEnd('warning'.length)}  ${what.padEnd(width)}  ${says}`
      return mend === undefined ? line : `${line}\n${' '.repeat(9)}to mend it: ${mend}`
    })
    .join('\n')
}

export const ok = (what: string, says: string): Finding => ({ what, status: 'ok', says })

export const warning = (what: string, says: string, mend: string): Finding => ({
  what,
  status: 'warning',
  says,
  mend,
})

export const failed = (what: string, says: string, mend: string): Finding => ({
  what,
  status: 'failed',
  says,
  mend,
})
