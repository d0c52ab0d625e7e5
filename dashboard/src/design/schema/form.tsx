import { lazy, Suspense } from 'react'
import { Skeleton } from '../skeleton.tsx'
import type { SchemaFormProps } from './form-view.tsx'

const View = lazy(() => import('./form-view.tsx'))

/** The form of a JSON Schema. Loaded when first shown. */
export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <View {...props} />
    </Suspense>
  )
}
