import { useSyncExternalStore } from 'react'

/** Below Tailwind's `sm`: a phone. */
const QUERY = '(max-width: 639.98px)'

/** Whether the window is as narrow as a phone. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(onChange, () => matchMedia(QUERY).matches)
}

function onChange(listener: () => void): () => void {
  const media = matchMedia(QUERY)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}
