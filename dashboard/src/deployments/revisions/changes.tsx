import type { RevisionHistoryEntry } from '@runyard/client'
import type { ReactNode } from 'react'
import { shortId } from '../../design/text/format.ts'

type Changes = NonNullable<RevisionHistoryEntry['changes']>

const NAMES: Record<string, string> = {
  source: 'Kind of source',
  repo_url: 'Repository',
  repo_ref: 'Branch or tag',
  repo_commit_sha: 'Commit',
  langgraph_config_path: 'Configuration',
  source_tarball_path: 'Upload',
  image_uri: 'Image',
  install_command: 'Install command',
  build_command: 'Build command',
  webhooks: 'Webhooks',
  'resource_spec.min_scale': 'Minimum instances',
  'resource_spec.max_scale': 'Maximum instances',
  'resource_spec.memory_limit_mb': 'Memory limit (MB)',
}

/** What a revision changed since the last one that served: source and settings with both values, secrets by name. */
export function ChangeList(props: {
  changes: Changes
  /** The upload is another one, with the same files. */
  isSourceSame?: boolean
}) {
  const { secrets, since } = props.changes
  const fields = props.changes.fields.filter(
    ({ name }) => !(props.isSourceSame && name === 'source_tarball_path'),
  )
  const count = Object.values(secrets).flat().length + fields.length
  if (count === 0) return <p className="text-ink-soft">Nothing changed since #{since}.</p>
  return (
    <dl
      aria-label={`Changed since #${since}`}
      className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 max-sm:grid-cols-1"
    >
      {fields.map(({ name, before, after }) => (
        <Row key={name} name={NAMES[name] ?? name.replace('resource_spec.', '')}>
          <Value value={before} isBefore />
          <span aria-hidden="true" className="text-ink-faint">
            →
          </span>
          <span className="sr-only">became</span>
          <Value value={after} />
        </Row>
      ))}
      <SecretNames title="New secrets" names={secrets.added} sign="+" />
      <SecretNames title="Changed secrets" names={secrets.changed} sign="~" />
      <SecretNames title="Removed secrets" names={secrets.removed} sign="−" />
    </dl>
  )
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2 max-sm:mb-1">{children}</dd>
    </div>
  )
}

function Value({ value, isBefore }: { value: unknown; isBefore?: boolean }) {
  if (value === null || value === undefined) return <span className="text-ink-faint">not set</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (
    <code title={text} className={isBefore ? 'text-ink-faint line-through' : 'wrap-anywhere'}>
      {shortened(text)}
    </code>
  )
}

/** Shortens a path to its last part, and an id or hash to its ends. */
function shortened(text: string): string {
  const last = text.includes('.tar.gz') ? (text.split('/').at(-1) ?? text) : text
  return /^[0-9a-f-]{20,}(\.tar\.gz)?$/i.test(last) ? shortId(last.replace('.tar.gz', '')) : last
}

function SecretNames(props: { title: string; names: readonly string[]; sign: string }) {
  if (props.names.length === 0) return null
  return (
    <Row name={props.title}>
      {props.names.map((name) => (
        <code key={name} className="wrap-anywhere">
          <span aria-hidden="true" className="text-ink-faint">
            {props.sign}
          </span>
          {name}
        </code>
      ))}
    </Row>
  )
}
