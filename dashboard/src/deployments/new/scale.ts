/** The effective maximum of servers, as the control plane computes it: at least one, and never below the minimum. */
export function mostServers(written: { minScale: string; maxScale: string }): number {
  return Math.max(1, Number(written.minScale), Number(written.maxScale))
}

/** Help text below "Maximum instances". */
export function mostServersHelp(written: { minScale: string; maxScale: string }): string {
  const most = mostServers(written)
  const isLess = written.maxScale !== '' && Number(written.maxScale) < most
  return isLess ? `It counts as ${most}, the least.` : 'More start while runs wait.'
}
