/** Calls back when another theme is chosen, in the page or in the system. Returns a function that stops this. */
export function onNewColorScheme(call: () => void): () => void {
  const chosen = new MutationObserver(call)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', call)
  return () => {
    chosen.disconnect()
    system.removeEventListener('change', call)
  }
}
