/** Keys that work on every page. */
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { MODE } from '../../api/mode.ts'
import { PLACES } from '../places.tsx'

/** What is open over the page. */
export type Overlay = 'palette' | 'help' | 'places'

const IS_MAC = /Mac|iP(hone|ad)/.test(navigator.platform)
/** This keyboard's modifier for commands. */
export const MOD = IS_MAC ? '⌘' : 'Ctrl '

/** How long a `g` waits for the letter of a place. */
const JUMP_MS = 1_500

/** The shortcuts that the help sheet lists. */
export const SHORTCUTS: readonly { keys: readonly string[]; label: string }[] = [
  { keys: [`${MOD}K`], label: 'Find a place, an action or an id' },
  { keys: ['/'], label: 'Search on this page' },
  { keys: ['j', 'k'], label: 'Next and previous row of a list' },
  { keys: ['Enter'], label: 'Open the row' },
  { keys: ['Esc'], label: 'Close what lies on top' },
  { keys: ['?'], label: 'Show these keys' },
]

export function useShortcuts(open: (overlay: Overlay) => void): void {
  const router = useRouter()
  useEffect(() => {
    let jumpBegan = Number.NEGATIVE_INFINITY
    const actions: Record<string, () => boolean> = {
      '?': () => isDone(open('help')),
      '/': () => focusSearch() || isDone(open('palette')),
      j: () => moveInList('ArrowDown'),
      k: () => moveInList('ArrowUp'),
    }
    const press = (event: KeyboardEvent) => {
      if (isCommand(event) && event.key.toLowerCase() === 'k') return take(event, open('palette'))
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return
      const isJump = event.timeStamp - jumpBegan < JUMP_MS
      jumpBegan = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      const place = isJump && PLACES[MODE].find(({ jump }) => jump === event.key)
      if (place) take(event, void router.navigate({ to: place.to }))
      else if (event.key === 'g' || actions[event.key]?.()) take(event)
    }
    document.addEventListener('keydown', press, { capture: true })
    return () => document.removeEventListener('keydown', press, { capture: true })
  }, [router, open])
}

/** Stops the event: a list would otherwise search a row that begins with the letter. */
function take(event: KeyboardEvent, ..._done: unknown[]): void {
  event.preventDefault()
  event.stopPropagation()
}

function isDone(_: unknown): true {
  return true
}

function isCommand(event: KeyboardEvent): boolean {
  return (IS_MAC ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey
}

/** Whether the focused element takes letters itself, or lies over the page. */
function isTaken({ target, isComposing }: KeyboardEvent): boolean {
  if (isComposing || !(target instanceof HTMLElement)) return true
  const inWord = 'input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable=true]'
  return target.closest(`${inWord}, [role=menu], [role=listbox], [role=dialog]`) !== null
}

function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>('#main [data-search-field]')
  const field = [...fields].find((one) => one.checkVisibility())
  field?.select()
  field?.focus()
  return field !== undefined
}

/** Moves in the focused list, or in the page's first one. */
function moveInList(key: 'ArrowDown' | 'ArrowUp'): boolean {
  const focused = document.activeElement?.closest<HTMLElement>('[role=row], [role=option]')
  if (focused) {
    return isDone(focused.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
  }
  const rows =
    '#main [role=grid] [role=rowgroup]:last-child [role=row], #main [role=listbox] [role=option]'
  const row = document.querySelector<HTMLElement>(rows)
  row?.focus()
  return row !== null
}
