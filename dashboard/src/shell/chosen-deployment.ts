/** The deployment that was chosen last on a page about one of them, in this browser. */
const KEY = 'runyard.deployment'

/** Its id; it may be gone since, or of another workspace. */
export function chosenDeployment(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined
}

export function rememberDeployment(id: string): void {
  localStorage.setItem(KEY, id)
}
