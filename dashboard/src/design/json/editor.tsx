import { lazy, Suspense } from 'react'
import { Skeleton } from '../skeleton.tsx'

export interface JsonEditorProps {
  label: string
  /** The text, which may be invalid JSON while the user types. */
  text: string
  onChange: (text: string) => void
  isReadOnly?: boolean
  /** A CSS length; default 12rem. The editor grows up to twice that. */
  minHeight?: string
}

const Editor = lazy(() => import('./editor-view.tsx'))

/** A JSON editor with line numbers, folding and error marks. Loaded when first shown. */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <Editor {...props} />
    </Suspense>
  )
}
