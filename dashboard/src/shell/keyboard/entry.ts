/** What the palette lists. */
import type { ReactNode } from 'react'

export interface Entry {
  id: string
  label: string
  detail?: string
  /** Found by these too. */
  words?: string
  icon: ReactNode
  keys?: string
  run: () => void
}

export interface Section {
  title: string
  entries: Entry[]
}
