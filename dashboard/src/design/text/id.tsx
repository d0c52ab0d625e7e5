import { CopyButton } from './copy-button.tsx'
import { shortId } from './format.ts'

/** An id, shortened in the middle; copying takes all of it. `isBare`: without the button, within a link or row. */
export function Id({ id, isBare }: { id: string; isBare?: boolean }) {
  return (
    <span className="inline-flex items-center gap-0.5 whitespace-nowrap">
      <code title={id}>{shortId(id)}</code>
      {!isBare && (
        <span className="-my-1.5 inline-flex">
          <CopyButton text={id} label="Copy the id" />
        </span>
      )}
    </span>
  )
}
