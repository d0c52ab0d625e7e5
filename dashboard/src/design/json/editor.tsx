import { lazy, Suspense } from 'react'
import { Skeleton } from '../skeleton.tsx'

export interface JsonEditorProps {
  label: string
  /** JSON as text, which need not be valid while somebody types. */
  text: string
  onChange: (text: string) => void
  isReadOnly?: boolean
  /** CSS length; default 12rem. It grows up to twice that. */
  minHeight?: string
}

const Editor = lazy(() => import('./editor-view.tsx'))

/** An editor for JSON with line numbers, folding and marks where it is not valid. Loaded when first shown. */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <Editor {...props} />
    </Suspense>
  )
}
