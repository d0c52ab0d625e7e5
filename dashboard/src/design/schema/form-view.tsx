/** The form: `@rjsf/core` decides which fields it has, and the components of this folder render them. */
// The package's main entry imports a validator that needs eval.
import withTheme from '@rjsf/core/lib/withTheme.js'
import { useMemo } from 'react'
import { schemaFields, schemaTemplates, schemaWidgets } from './form-parts.tsx'
import { shapeOf } from './shape.ts'
import { schemaValidator } from './validator.ts'

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

const Form = withTheme({
  fields: schemaFields,
  templates: schemaTemplates,
  widgets: schemaWidgets,
})

// The component around the form has the submit button.
const UI_SCHEMA = { 'ui:submitButtonOptions': { norender: true } }

export default function SchemaFormView(props: SchemaFormProps) {
  const { schema, value, onChange, areProblemsShown = false } = props
  const shape = useMemo(() => shapeOf(schema), [schema])
  return (
    <Form
      tagName="div"
      schema={shape}
      uiSchema={UI_SCHEMA}
      formData={value}
      validator={schemaValidator}
      onChange={({ formData }) => onChange(formData ?? {})}
      {...(areProblemsShown && { liveValidate: 'onChange' as const })}
      key={areProblemsShown ? 'checked' : 'unchecked'}
      showErrorList={false}
      noHtml5Validate
      readonly={props.isReadOnly ?? false}
      idPrefix={props.idPrefix ?? 'form'}
      experimental_defaultFormStateBehavior={{
        emptyObjectFields: 'populateRequiredDefaults',
        arrayMinItems: { populate: 'requiredOnly' },
      }}
    />
  )
}
