import { lazy, Suspense } from 'react'
import { Skeleton } from '../skeleton.tsx'

export interface SchemaFormProps {
  /** JSON Schema of an object. */
  schema: object
  value: Record<string, unknown>
  onChange: (value: Record<string, unknown>) => void
  /** Marks invalid fields; `problemsOf` of `schema-validator.ts` says whether there are any. */
  areProblemsShown?: boolean
  /** Keeps the field ids of two forms on one page apart. */
  idPrefix?: string
  isReadOnly?: boolean
}

const View = lazy(() => import('./form-view.tsx'))

/** The form of a JSON Schema. Loaded when first shown. */
export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <View {...props} />
    </Suspense>
  )
}
