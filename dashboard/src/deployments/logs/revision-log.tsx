import { LogPanel } from './log-panel.tsx'

type Kind = 'build' | 'deploy'

/** A revision's two logs: of its build and of its agent servers. */
export function RevisionLog(props: {
  place: { deployment_id: string; revision_id: string }
  kind: Kind
  onKind: (kind: Kind) => void
  line: string | undefined
  onLine: (line: string | undefined) => void
  isBuildOver: boolean
}) {
  const { place, kind, onKind } = props
  return (
    <LogPanel
      key={kind}
      label={kind === 'build' ? 'Build log' : 'Server log'}
      place={{ ...place, kind }}
      isOver={kind === 'build' && props.isBuildOver}
      line={props.line}
      onLine={props.onLine}
      empty={kind === 'build' ? 'The build has printed nothing.' : 'Its servers have said nothing.'}
    >
      <KindChoice kind={kind} onKind={onKind} />
    </LogPanel>
  )
}

const KINDS = [
  { id: 'build', label: 'Build' },
  { id: 'deploy', label: 'Servers' },
] as const

export function KindChoice({ kind, onKind }: { kind: Kind; onKind: (kind: Kind) => void }) {
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-surface p-0.5">
      <legend className="sr-only">Which log</legend>
      {KINDS.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          aria-pressed={kind === id}
          onClick={() => onKind(id)}
          className="h-6.5 rounded-sm px-2.5 text-sm text-ink-soft hover:text-ink aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent"
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
