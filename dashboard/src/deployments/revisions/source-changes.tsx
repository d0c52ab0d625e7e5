import type { FileChange, RevisionComparison } from '@runyard/client'
import { classes } from '../../design/classes.ts'
import { bytesText } from '../../design/text/format.ts'

type Changes = NonNullable<RevisionComparison['source']>

/** The changed files of a revision, each with its lines, and the changed packages of its lock files. */
export function SourceChanges({ source }: { source: Changes }) {
  const { state, files, packages, left_out } = source
  if (state !== 'compared') return <p className="text-ink-soft">{WORDS[state]}</p>
  return (
    <div className="space-y-3">
      {files.length > 0 && (
        <ul
          aria-label="Changed files"
          className="divide-y divide-line rounded-md border border-line"
        >
          {files.map((file) => (
            <li key={file.path}>
              <ChangedFile file={file} />
            </li>
          ))}
        </ul>
      )}
      {packages.length > 0 && (
        <ul aria-label="Changed packages" className="space-y-1">
          {packages.map(({ lock_file, name, before, after }) => (
            <li key={`${lock_file} ${name}`} className="flex flex-wrap items-baseline gap-x-2">
              <code className="wrap-anywhere">{name}</code>
              <span className="text-sm text-ink-soft">
                {before.join(', ') || 'new'} → {after.join(', ') || 'removed'}
              </span>
              <span className="text-sm text-ink-faint">{lock_file}</span>
            </li>
          ))}
        </ul>
      )}
      {left_out > 0 && <p className="text-ink-soft">{`And ${left_out} more.`}</p>}
    </div>
  )
}

const WORDS = {
  same: 'The source is the same.',
  image: 'It is an image: only digests are compared.',
  unknown:
    'The source is not compared: it was not kept, is not fetched yet, or has too many files.',
}

function ChangedFile({ file }: { file: FileChange }) {
  if (!file.patch) {
    return (
      <p className="px-3 py-1.5">
        <FileName file={file} />
      </p>
    )
  }
  return (
    <details>
      <summary className="px-3 py-1.5">
        <FileName file={file} />
      </summary>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        aria-label={`Lines of ${file.path}`}
        className="max-h-96 overflow-auto border-t border-line bg-sunken py-1 font-mono text-sm whitespace-pre"
      >
        {file.patch.split('\n').map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
          <span key={index} className={classes('block min-w-max px-3', toneOf(line))}>
            {line || ' '}
          </span>
        ))}
      </section>
    </details>
  )
}

function FileName({ file }: { file: FileChange }) {
  const { path, kind, added, removed, before_bytes, after_bytes } = file
  const sizes = [before_bytes, after_bytes].map((bytes) => bytes !== null && bytesText(bytes))
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <code className="wrap-anywhere">{path}</code>
      {kind !== 'changed' && <span className="text-sm text-ink-soft">{kind}</span>}
      <span className="text-sm text-ink-soft">
        {added === null || removed === null
          ? sizes.filter(Boolean).join(' → ')
          : `+${added} −${removed}`}
      </span>
    </span>
  )
}

function toneOf(line: string): string {
  if (line.startsWith('@@')) return 'text-ink-faint'
  if (line.startsWith('+')) return 'bg-good-soft'
  return line.startsWith('-') ? 'bg-bad-soft' : ''
}
