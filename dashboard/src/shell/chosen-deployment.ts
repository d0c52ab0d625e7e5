/** The deployment chosen most recently in this browser, on a page about one deployment. */
const KEY = 'runyard.deployment'

/** Its id; it may have been deleted, or belong to another workspace. */
export function chosenDeployment(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined
}

export function rememberDeployment(id: string): void {
  localStorage.setItem(KEY, id)
}
