import { Mark } from '../../design/status.tsx'
import { bytesText, countText } from '../../design/text/format.ts'
import type { CheckedProject } from './check.ts'
import type { SentFile } from './folder.ts'

/** The files of a folder that would be sent, and whether a build would accept them. */
export function SentFilesView(props: {
  name: string
  files: readonly SentFile[]
  project: CheckedProject
}) {
  const { name, files, project } = props
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0)
  return (
    <div className="mt-3 rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="text-ink-soft tabular-nums">
          {`${countText(files.length)} files, ${bytesText(bytes)}`}
        </span>
        {project.graphs.map((graph) => (
          <code key={graph} className="rounded-sm bg-off-soft px-1.5">
            {graph}
          </code>
        ))}
      </div>
      {project.problem && (
        <p
          role="alert"
          className="flex items-start gap-2 border-t border-line bg-bad-soft px-3 py-2"
        >
          <span className="mt-1">
            <Mark tone="bad" />
          </span>
          <span className="wrap-anywhere">{project.problem}</span>
        </p>
      )}
      <details className="border-t border-line">
        <summary className="px-3 py-2 text-sm text-ink-soft hover:text-ink">What is sent</summary>
        <ul
          aria-label="Files that are sent"
          className="max-h-64 overflow-auto border-t border-line px-3 py-2"
        >
          {files.slice(0, MOST).map(({ path, file }) => (
            <li key={path} className="flex justify-between gap-4">
              <code className="wrap-anywhere">{path}</code>
              <span className="text-sm whitespace-nowrap text-ink-soft tabular-nums">
                {bytesText(file.size)}
              </span>
            </li>
          ))}
          {files.length > MOST && (
            <li className="text-ink-soft">{`and ${countText(files.length - MOST)} more`}</li>
          )}
        </ul>
      </details>
    </div>
  )
}

/** Most files listed by name. */
const MOST = 500
