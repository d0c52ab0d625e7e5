import { useState } from 'react'
import { FoldButton } from '../fold-button.tsx'
import { LongText } from '../text/long-text.tsx'

/** A JSON value as a foldable tree. `openDepth`: how many levels are open at first. */
export function JsonView({ value, openDepth = 2 }: { value: unknown; openDepth?: number }) {
  return (
    <div className="overflow-x-auto font-mono text-sm leading-5">
      <Node value={value} openDepth={openDepth} />
    </div>
  )
}

function Node(props: { name?: string; value: unknown; openDepth: number }) {
  const { value } = props
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (isBranch) return <Branch {...props} value={value} />
  return (
    <div className="pl-4">
      <Name name={props.name} />
      <Leaf value={value} />
    </div>
  )
}

/** Most entries that are rendered at once; the rest on demand. */
const PAGE = 100

function Branch({ name, value, openDepth }: { name?: string; value: object; openDepth: number }) {
  const [isOpen, setOpen] = useState(openDepth > 0)
  const [shown, setShown] = useState(PAGE)
  const entries = Object.entries(value)
  return (
    <div>
      <FoldButton isOpen={isOpen} onChange={setOpen}>
        <span className="ml-0.5">
          <Name name={name} />
          <span className="text-ink-faint">{summaryOf(value, entries.length)}</span>
        </span>
      </FoldButton>
      {isOpen && (
        <div className="ml-[7px] border-l border-line pl-2">
          {entries.slice(0, shown).map(([key, one]) => (
            <Node key={key} name={key} value={one} openDepth={openDepth - 1} />
          ))}
          {entries.length > shown && (
            <button
              type="button"
              className="pl-4 text-accent"
              onClick={() => setShown(shown + PAGE)}
            >
              {entries.length - shown} more
            </button>
          )}
        </div>
      )}
    </div>
  )
}

function Name({ name }: { name?: string | undefined }) {
  return name === undefined ? null : <span className="mr-1.5 text-ink-soft">{name}:</span>
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    return (
      <span className="text-good">
        <LongText text={JSON.stringify(value)} />
      </span>
    )
  }
  return <span className="text-accent">{JSON.stringify(value) ?? 'undefined'}</span>
}

function summaryOf(value: object, count: number): string {
  return Array.isArray(value) ? `[${count}]` : `{${count}}`
}
