import { lazy, Suspense } from 'react'
import { Skeleton } from '../skeleton.tsx'

export interface SchemaFormProps {
  /** JSON Schema of an object. */
  schema: object
  value: Record<string, unknown>
  onChange: (value: Record<string, unknown>) => void
  /** Marks what is wrong; `problemsOf` of `schema-validator.ts` tells whether something is. */
  areProblemsShown?: boolean
  /** Tells the fields of two forms on one page apart. */
  idPrefix?: string
  isReadOnly?: boolean
}

const View = lazy(() => import('./form-view.tsx'))

/** The fields that a JSON Schema asks for. Loaded when first shown. */
export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <View {...props} />
    </Suspense>
  )
}
