/** A palette of places, deployments, assistants and actions, searched by typing. */
import { useState } from 'react'
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components'
import { Search } from '../../design/icon.gen.tsx'
import type { Entry } from './entry.ts'
import { useEntries } from './palette-entries.tsx'

export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { contains } = useFilter({ sensitivity: 'base' })
  const [typed, setTyped] = useState('')
  const { sections, nothing } = useEntries(onHelp, typed)
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      isDismissable
      className="fixed inset-0 z-40 flex items-start justify-center bg-veil p-4 pt-[12vh]"
    >
      <Modal className="w-full max-w-xl rounded-lg border border-line bg-raised shadow-overlay">
        <Dialog aria-label="Search or run a command" className="outline-none">
          <Autocomplete
            inputValue={typed}
            onInputChange={setTyped}
            filter={(text, words) => matches(text, words, contains)}
          >
            <SearchField
              aria-label="Search or run a command"
              autoFocus
              className="flex items-center gap-2.5 border-b border-line px-4"
            >
              <Search size={16} aria-hidden="true" className="shrink-0 text-ink-faint" />
              <Input
                placeholder="A place, a deployment, an action, or any id…"
                className="h-12 w-full bg-transparent text-lg outline-none placeholder:text-ink-faint [&::-webkit-search-cancel-button]:hidden"
              />
            </SearchField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
            <div tabIndex={0} className="max-h-[55vh] overflow-y-auto">
              <Menu
                aria-label="Found"
                className="p-2 outline-none"
                renderEmptyState={() => (
                  <p className="px-2 py-6 text-center text-ink-soft">{nothing}</p>
                )}
              >
                {sections
                  .filter(({ entries }) => entries.length > 0)
                  .map(({ title, entries }) => (
                    <MenuSection key={title} className="mb-2 last:mb-0">
                      <Header className="px-2 py-1 text-xs font-medium text-ink-faint">
                        {title}
                      </Header>
                      {entries.map((entry) => (
                        <Row key={entry.id} entry={entry} onDone={onClose} />
                      ))}
                    </MenuSection>
                  ))}
              </Menu>
            </div>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function Row({ entry, onDone }: { entry: Entry; onDone: () => void }) {
  return (
    <MenuItem
      id={entry.id}
      textValue={`${entry.label} ${entry.detail ?? ''} ${entry.words ?? ''}`}
      onAction={() => {
        onDone()
        entry.run()
      }}
      className="flex h-9 cursor-default items-center gap-2.5 rounded-md px-2 outline-none data-focused:bg-accent-soft"
    >
      <span className="shrink-0 text-ink-soft">{entry.icon}</span>
      <span className="truncate">{entry.label}</span>
      {entry.detail && <span className="shrink-0 text-sm text-ink-faint">{entry.detail}</span>}
      {entry.keys && <kbd className="ml-auto shrink-0 text-xs text-ink-faint">{entry.keys}</kbd>}
    </MenuItem>
  )
}

/** Each word must match, in any order. */
function matches(
  text: string,
  typed: string,
  contains: (text: string, part: string) => boolean,
): boolean {
  return typed
    .trim()
    .split(/\s+/)
    .every((word) => contains(text, word))
}
