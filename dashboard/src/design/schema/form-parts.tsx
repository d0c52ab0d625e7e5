/** The look of each part of a JSON Schema form: fields, lists and groups. */
import getDefaultRegistry from '@rjsf/core/lib/getDefaultRegistry.js'
import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  canExpand,
  type FieldProps,
  type FieldTemplateProps,
  getUiOptions,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
  type WidgetProps,
} from '@rjsf/utils'
import { useState } from 'react'
import { Button, IconButton } from '../button.tsx'
import { Checkbox, SelectField, TextAreaField, TextField } from '../field.tsx'
import { ArrowDown, ArrowUp, Plus, Trash2 } from '../icon.gen.tsx'
import { JsonEditor } from '../json/editor.tsx'
import { isFree } from './shape.ts'

const { fields: defaults } = getDefaultRegistry()

function fieldOf(props: WidgetProps) {
  const { label, required, disabled, readonly, rawErrors, schema, hideLabel } = props
  const error = rawErrors?.[0]
  return {
    label: labelOf(label),
    isLabelHidden: hideLabel ?? false,
    isRequired: required ?? false,
    isDisabled: disabled || readonly || false,
    ...(schema.description && { help: schema.description }),
    ...(error && { error }),
  }
}

/** `userId` and `user_id` read as `User id`. Titles of schemas stay as they are. */
function labelOf(name: string): string {
  if (/\s/.test(name)) return name
  const words = name.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b}`)
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}

function InputWidget(props: WidgetProps) {
  const { value, onChange, options, type, schema } = props
  const isNumber = schema.type === 'number' || schema.type === 'integer'
  const kind = isNumber
    ? 'number'
    : type === 'email' || type === 'url' || type === 'password'
      ? type
      : 'text'
  return (
    <TextField
      {...fieldOf(props)}
      type={kind}
      value={value === undefined || value === null ? '' : String(value)}
      onChange={(text) => onChange(text === '' ? options.emptyValue : text)}
      {...(props.placeholder && { placeholder: props.placeholder })}
    />
  )
}

function TextareaWidget(props: WidgetProps) {
  const { value, onChange, options } = props
  return (
    <TextAreaField
      {...fieldOf(props)}
      value={value ?? ''}
      onChange={(text) => onChange(text === '' ? options.emptyValue : text)}
    />
  )
}

function SelectWidget(props: WidgetProps) {
  const { options, value, onChange } = props
  const choices = (options.enumOptions ?? []).map((option, index) => ({
    value: String(index),
    label: option.label,
  }))
  const chosen = (options.enumOptions ?? []).findIndex((option) => option.value === value)
  return (
    <SelectField
      {...fieldOf(props)}
      choices={choices}
      value={chosen === -1 ? undefined : String(chosen)}
      onChange={(index) => onChange(options.enumOptions?.[Number(index)]?.value)}
    />
  )
}

function CheckboxWidget(props: WidgetProps) {
  const { label, isDisabled, help } = fieldOf(props)
  return (
    <div>
      <Checkbox isSelected={props.value === true} onChange={props.onChange} isDisabled={isDisabled}>
        {label}
      </Checkbox>
      {help && <p className="mt-1 ml-6 text-xs text-ink-faint">{help}</p>}
    </div>
  )
}

/** A value of any shape, as JSON. */
function JsonField({ schema, name, formData, onChange, fieldPathId, rawErrors }: FieldProps) {
  const [text, setText] = useState(() =>
    formData === undefined ? '' : JSON.stringify(formData, null, 2),
  )
  const label = labelOf(schema.title ?? name)
  const change = (after: string) => {
    setText(after)
    try {
      onChange(after.trim() === '' ? undefined : JSON.parse(after), fieldPathId.path)
    } catch {
      // The editor shows the error; the last valid value stays.
    }
  }
  return (
    <div className="mb-3">
      <p className="mb-1 text-sm font-medium text-ink-soft">
        {label} <span className="font-normal text-ink-faint">(JSON)</span>
      </p>
      <JsonEditor label={`${label}, as JSON`} text={text} onChange={change} minHeight="4rem" />
      {schema.description && <p className="mt-1 text-xs text-ink-faint">{schema.description}</p>}
      {rawErrors?.map((error) => (
        <p key={error} className="mt-1 text-xs text-bad">
          {error}
        </p>
      ))}
    </div>
  )
}

function SchemaField(props: FieldProps) {
  const { schema, registry } = props
  if (isFree(registry.schemaUtils.retrieveSchema(schema))) return <JsonField {...props} />
  const Field = defaults.SchemaField
  return Field ? <Field {...props} /> : null
}

/** The fields themselves render labels, help and errors of single values. */
function FieldTemplate(props: FieldTemplateProps) {
  const { children, schema, hidden, label, errors } = props
  if (hidden) return <div className="hidden">{children}</div>
  const isGroup = schema.type === 'object' || schema.type === 'array'
  const isNamed = ADDITIONAL_PROPERTY_FLAG in schema
  return (
    <div className="mb-3 last:mb-0">
      {isNamed ? (
        <div className="flex items-end gap-2">
          <KeyField name={label} onRename={props.onKeyRenameBlur} />
          <div className="flex-1">{children}</div>
          <IconButton
            label={`Remove ${label}`}
            icon={<Trash2 size={14} />}
            onPress={() => props.onRemoveProperty()}
          />
        </div>
      ) : (
        children
      )}
      {isGroup && <div className="text-xs text-bad">{errors}</div>}
    </div>
  )
}

function KeyField({
  name,
  onRename,
}: {
  name: string
  onRename: FieldTemplateProps['onKeyRenameBlur']
}) {
  return (
    <input
      aria-label="Key"
      defaultValue={name}
      onBlur={onRename}
      className="h-8 w-32 rounded-md border border-line bg-surface px-2.5 font-mono text-sm"
    />
  )
}

function ObjectTemplate(props: ObjectFieldTemplateProps) {
  const { properties, title, description, schema, uiSchema, formData, fieldPathId } = props
  const isRoot = fieldPathId.path.length === 0
  const fields = (
    <>
      {properties.map(({ content }) => content)}
      {canExpand(schema, uiSchema, formData) && (
        <Button size="sm" icon={<Plus size={14} />} onPress={() => props.onAddProperty()}>
          Add a key
        </Button>
      )}
    </>
  )
  if (isRoot) return fields
  return (
    <fieldset className="rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-sm font-medium text-ink-soft">{labelOf(title)}</legend>
      {description && <p className="mb-2 text-xs text-ink-faint">{description}</p>}
      {fields}
    </fieldset>
  )
}

function ArrayTemplate(props: ArrayFieldTemplateProps) {
  const { items, canAdd, onAddClick, title, schema, uiSchema } = props
  const name = labelOf(getUiOptions(uiSchema).title ?? title)
  return (
    <fieldset className="rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-sm font-medium text-ink-soft">{name}</legend>
      {schema.description && <p className="mb-2 text-xs text-ink-faint">{schema.description}</p>}
      {items}
      {canAdd && (
        <Button size="sm" icon={<Plus size={14} />} onPress={() => onAddClick()}>
          Add
        </Button>
      )}
    </fieldset>
  )
}

function ArrayItemTemplate({ children, buttonsProps, index }: ArrayFieldItemTemplateProps) {
  const { hasMoveUp, hasMoveDown, hasRemove } = buttonsProps
  return (
    <div className="mb-2 flex items-end gap-1">
      <div className="min-w-0 flex-1">{children}</div>
      {(hasMoveUp || hasMoveDown) && (
        <>
          <IconButton
            label={`Move ${index + 1} up`}
            icon={<ArrowUp size={14} />}
            isDisabled={!hasMoveUp}
            onPress={() => buttonsProps.onMoveUpItem()}
          />
          <IconButton
            label={`Move ${index + 1} down`}
            icon={<ArrowDown size={14} />}
            isDisabled={!hasMoveDown}
            onPress={() => buttonsProps.onMoveDownItem()}
          />
        </>
      )}
      {hasRemove && (
        <IconButton
          label={`Remove ${index + 1}`}
          icon={<Trash2 size={14} />}
          onPress={() => buttonsProps.onRemoveItem()}
        />
      )}
    </div>
  )
}

function ChoiceTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="space-y-2 border-l-2 border-line pl-3">
      {selector}
      {optionSchemaField}
    </div>
  )
}

export const schemaFields = { SchemaField }

export const schemaWidgets = {
  TextareaWidget,
  SelectWidget,
  RadioWidget: SelectWidget,
  CheckboxWidget,
}

export const schemaTemplates = {
  BaseInputTemplate: InputWidget,
  FieldTemplate,
  ObjectFieldTemplate: ObjectTemplate,
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ArrayItemTemplate,
  MultiSchemaFieldTemplate: ChoiceTemplate,
}
