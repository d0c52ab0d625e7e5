import { lazy, Suspense } from 'react'
import { Skeleton } from '../skeleton.tsx'
import type { JsonEditorProps } from './editor-view.tsx'

const Editor = lazy(() => import('./editor-view.tsx'))

/** A JSON editor with line numbers, folding and error marks. Loaded when first shown. */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <Editor {...props} />
    </Suspense>
  )
}
