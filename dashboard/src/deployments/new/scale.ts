/** How many servers there may be at most, as the control plane counts: one, and never fewer than the least. */
export function mostServers(written: { minScale: string; maxScale: string }): number {
  return Math.max(1, Number(written.minScale), Number(written.maxScale))
}

/** Said below "Maximum instances". */
export function mostServersHelp(written: { minScale: string; maxScale: string }): string {
  const most = mostServers(written)
  const isLess = written.maxScale !== '' && Number(written.maxScale) < most
  return isLess ? `It counts as ${most}, the least.` : 'More start while runs wait.'
}
