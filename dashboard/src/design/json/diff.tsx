import { type ReactNode, useMemo, useState } from 'react'
import { classes } from '../classes.ts'
import { TextDiff } from '../text/diff.tsx'
import { LongText } from '../text/long-text.tsx'
import { type Change, changeBetween } from './changes.ts'
import { JsonView } from './view.tsx'

/** Renders a value other than as JSON; `undefined`: as JSON. */
export type DrawValue = (value: unknown) => ReactNode | undefined

/**
 * The changes between two JSON values as a tree: `+` added, `−` removed, `~` changed, `↕` moved. `draw`: for values
 * with a better view than JSON. `same`: shown if nothing changed.
 */
export function JsonDiff(props: {
  before: unknown
  after: unknown
  draw?: DrawValue
  same?: ReactNode
}) {
  const { before, after } = props
  const change = useMemo(() => changeBetween(before, after), [before, after])
  if (!change) return props.same ?? <p className="text-ink-soft">Nothing changed.</p>
  return <ChangeView change={change} {...(props.draw && { draw: props.draw })} />
}

/** The same for a known change. */
export function ChangeView({ change, draw }: { change: Change; draw?: DrawValue }) {
  const isBare = change.kind === 'within' && change.name === ''
  return (
    <div className="overflow-x-auto font-mono text-sm leading-5">
      {isBare ? (
        <Entries change={change} draw={draw} />
      ) : (
        <ul>
          <Entry change={change} draw={draw} />
        </ul>
      )}
    </div>
  )
}

type Drawn<T> = T & { draw: DrawValue | undefined }
type Within = Extract<Change, { kind: 'within' }>

/** Most changes of one list that are rendered at once; the rest on demand. */
const PAGE = 50

function Entries({ change, draw }: Drawn<{ change: Within }>) {
  const [shown, setShown] = useState(PAGE)
  const { changes, unchanged } = change
  return (
    <ul className="space-y-0.5">
      {changes.slice(0, shown).map((one) => (
        <Entry key={`${one.kind} ${one.name}`} change={one} draw={draw} />
      ))}
      {changes.length > shown && (
        <li>
          <button type="button" className="text-accent" onClick={() => setShown(shown + PAGE)}>
            {changes.length - shown} more changes
          </button>
        </li>
      )}
      {unchanged > 0 && (
        <li className="pl-4 font-sans text-xs text-ink-faint">
          {unchanged}{' '}
          {change.isList
            ? unchanged === 1
              ? 'entry'
              : 'entries'
            : unchanged === 1
              ? 'key'
              : 'keys'}{' '}
          unchanged
        </li>
      )}
    </ul>
  )
}

function Entry({ change, draw }: Drawn<{ change: Change }>) {
  switch (change.kind) {
    case 'within':
      return (
        <li>
          <Name name={change.name} />
          <div className="ml-[3px] border-l border-line pl-3">
            <Entries change={change} draw={draw} />
          </div>
        </li>
      )
    case 'added':
      return <Line sign="+" word="added" name={change.name} value={change.value} draw={draw} />
    case 'removed':
      return <Line sign="−" word="removed" name={change.name} value={change.value} draw={draw} />
    case 'moved':
      return (
        <Line
          sign="↕"
          word={`moved from ${change.from}`}
          name={change.name}
          value={change.value}
          draw={draw}
        />
      )
    case 'changed':
      return <Changed {...change} draw={draw} />
  }
}

const GROUND = { '+': 'bg-good-soft', '−': 'bg-bad-soft', '~': '', '↕': 'bg-off-soft' }
const INK = { '+': 'text-good', '−': 'text-bad', '~': 'text-wait', '↕': 'text-ink-soft' }
type Sign = keyof typeof GROUND

function Line(props: Drawn<{ sign: Sign; word: string; name: string; value: unknown }>) {
  const { sign, word, name, value, draw } = props
  return (
    <Row sign={sign} word={word} name={name}>
      {draw?.(value) ?? <Value value={value} />}
    </Row>
  )
}

function Changed({ name, before, after, draw }: Drawn<Extract<Change, { kind: 'changed' }>>) {
  if (typeof before === 'string' && typeof after === 'string') {
    return (
      <Row sign="~" word="changed" name={name}>
        <TextDiff before={before} after={after} />
      </Row>
    )
  }
  if (isLeaf(before) && isLeaf(after)) {
    return (
      <Row sign="~" word="changed" name={name}>
        <del className="rounded-sm bg-bad-soft text-bad line-through">{JSON.stringify(before)}</del>
        {' → '}
        <ins className="rounded-sm bg-good-soft text-good no-underline">
          {JSON.stringify(after)}
        </ins>
      </Row>
    )
  }
  return (
    <>
      <Line sign="−" word="removed" name={name} value={before} draw={draw} />
      <Line sign="+" word="added" name={name} value={after} draw={draw} />
    </>
  )
}

function Row(props: { sign: Sign; word: string; name: string; children: ReactNode }) {
  const { sign, word, name, children } = props
  return (
    <li className={classes('flex gap-1.5 rounded-sm px-1', GROUND[sign])}>
      <span className={classes('w-2.5 shrink-0 font-semibold select-none', INK[sign])}>
        <span aria-hidden="true">{sign}</span>
        <span className="sr-only">{word}</span>
      </span>
      <div className="min-w-0 flex-1">
        <Name name={name} />
        {children}
      </div>
    </li>
  )
}

function Name({ name }: { name: string }) {
  return name === '' ? null : <span className="mr-1.5 text-ink-soft">{name}:</span>
}

function Value({ value }: { value: unknown }) {
  if (!isLeaf(value)) return <JsonView value={value} openDepth={1} />
  return <LongText text={JSON.stringify(value) ?? 'undefined'} />
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}
