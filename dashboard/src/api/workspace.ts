/** The workspace that is looked at, of those that the person belongs to. */
const KEY = 'runyard.workspace'

/** Its id, if the person has chosen one. */
export function chosenWorkspace(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined
}

/**
 * Everything that was fetched belongs to the workspace before, so the page begins anew: at the start, or with the
 * address that it has (`isHere`).
 */
export function chooseWorkspace(id: string, { isHere = false } = {}): void {
  localStorage.setItem(KEY, id)
  if (isHere) location.reload()
  else location.assign(document.baseURI)
}

/** Whoever signs in next may not belong to it. */
export function forgetWorkspace(): void {
  localStorage.removeItem(KEY)
}

export function workspaceHeaders(): Record<string, string> {
  const id = chosenWorkspace()
  return id ? { 'x-tenant-id': id } : {}
}
