/** The workspace that the user has chosen, of those that they belong to. */
const KEY = 'runyard.workspace'

/** Its id, if the user has chosen one. */
export function chosenWorkspace(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined
}

/**
 * All loaded data belongs to the previous workspace, so the page reloads: at the start page, or at the current address
 * (`isHere`).
 */
export function chooseWorkspace(id: string, { isHere = false } = {}): void {
  localStorage.setItem(KEY, id)
  if (isHere) location.reload()
  else location.assign(document.baseURI)
}

/** The next user may not belong to it. */
export function forgetWorkspace(): void {
  localStorage.removeItem(KEY)
}

export function workspaceHeaders(): Record<string, string> {
  const id = chosenWorkspace()
  return id ? { 'x-tenant-id': id } : {}
}
