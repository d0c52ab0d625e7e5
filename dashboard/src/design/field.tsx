/** Form fields: label, control, help and error. */
import type { ReactNode } from 'react'
import {
  Checkbox as AriaCheckbox,
  SearchField as AriaSearchField,
  Select as AriaSelect,
  Switch as AriaSwitch,
  TextField as AriaTextField,
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
  TextArea,
} from 'react-aria-components'
import { classes } from './classes.ts'
import { Check, ChevronDown, Search, X } from './icon.gen.tsx'

export const CONTROL =
  'h-8 w-full rounded-md border border-line bg-surface px-2.5 text-base text-ink placeholder:text-ink-faint ' +
  'hover:border-line-strong data-invalid:border-bad data-disabled:opacity-60'

export interface FieldProps {
  label: string
  /** Only screen readers get the label. */
  isLabelHidden?: boolean
  help?: ReactNode
  /** The error; the field is marked. */
  error?: string
  isDisabled?: boolean
  isRequired?: boolean
}

interface TextFieldProps extends FieldProps {
  value: string
  onChange: (value: string) => void
  placeholder?: string
  type?: 'text' | 'password' | 'email' | 'url' | 'number' | 'datetime-local'
  /** For ids, keys and JSON. */
  isMono?: boolean
  autoFocus?: boolean
  autoComplete?: string
  name?: string
  /** The id of a `datalist` with suggestions. */
  list?: string
}

export function TextField({ value, onChange, placeholder, type, ...field }: TextFieldProps) {
  return (
    <AriaTextField
      value={value}
      onChange={onChange}
      type={type ?? 'text'}
      autoFocus={field.autoFocus ?? false}
      autoComplete={field.autoComplete ?? 'off'}
      {...(field.name && { name: field.name })}
      {...stateOf(field)}
    >
      <FieldLabel {...field} />
      <Input
        placeholder={placeholder}
        list={field.list}
        className={classes(CONTROL, field.isMono && 'font-mono text-sm')}
      />
      <FieldNotes {...field} />
    </AriaTextField>
  )
}

/** A text of several lines. `rows`: how many are visible at first. */
export function TextAreaField(props: TextFieldProps & { rows?: number }) {
  const { value, onChange, placeholder, rows = 4, ...field } = props
  return (
    <AriaTextField
      value={value}
      onChange={onChange}
      autoFocus={field.autoFocus ?? false}
      {...stateOf(field)}
    >
      <FieldLabel {...field} />
      <TextArea
        placeholder={placeholder}
        rows={rows}
        className={classes(CONTROL, 'h-auto py-1.5', field.isMono && 'font-mono text-sm')}
      />
      <FieldNotes {...field} />
    </AriaTextField>
  )
}

/** A search text; Escape clears it. `/` focuses the first search field of a page. */
export function SearchField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  placeholder?: string
}) {
  return (
    <AriaSearchField
      aria-label={props.label}
      value={props.value}
      onChange={props.onChange}
      className="group relative min-w-48"
    >
      <Search size={14} className="absolute top-2.25 left-2.5 text-ink-faint" aria-hidden="true" />
      <Input
        data-search-field=""
        placeholder={props.placeholder ?? props.label}
        className={classes(CONTROL, 'px-8 [&::-webkit-search-cancel-button]:hidden')}
      />
      <Button
        className="absolute top-1.5 right-1.5 rounded-sm p-0.5 text-ink-faint group-data-empty:hidden hover:bg-hover"
        aria-label="Empty the search"
      >
        <X size={14} />
      </Button>
    </AriaSearchField>
  )
}

export interface Choice<T extends string = string> {
  value: T
  label: string
  /** Shown below the label in the list. */
  help?: string
}

/** One of several choices; typing searches a long list. */
export function SelectField<T extends string>(
  props: FieldProps & {
    value: T | undefined
    onChange: (value: T) => void
    choices: readonly Choice<T>[]
    placeholder?: string
  },
) {
  return (
    <AriaSelect
      value={props.value ?? null}
      onChange={(key) => key !== null && props.onChange(String(key) as T)}
      placeholder={props.placeholder ?? 'Choose one'}
      {...stateOf(props)}
    >
      <FieldLabel {...props} />
      <Button className={classes(CONTROL, 'flex items-center justify-between gap-2 text-left')}>
        <SelectValue className="truncate data-placeholder:text-ink-faint">
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <ChevronDown size={14} className="shrink-0 text-ink-faint" aria-hidden="true" />
      </Button>
      <FieldNotes {...props} />
      <Popover className="min-w-(--trigger-width) rounded-md border border-line bg-raised shadow-overlay">
        <ListBox className="max-h-80 overflow-auto p-1 outline-none" items={props.choices}>
          {({ value, label, help }) => (
            <ListBoxItem
              id={value}
              textValue={label}
              className="group flex cursor-default items-center justify-between gap-4 rounded-sm px-2 py-1 data-focused:bg-hover"
            >
              <span>
                <Text slot="label">{label}</Text>
                {help && (
                  <Text slot="description" className="block text-xs text-ink-faint">
                    {help}
                  </Text>
                )}
              </span>
              <Check size={14} className="invisible text-accent group-data-selected:visible" />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}

interface ToggleProps {
  isSelected: boolean
  onChange: (isSelected: boolean) => void
  isDisabled?: boolean
  children: ReactNode
}

export function Checkbox({ children, ...toggle }: ToggleProps) {
  return (
    <AriaCheckbox {...toggle} className="group flex items-center gap-2 data-disabled:opacity-60">
      <CheckMark />
      {children}
    </AriaCheckbox>
  )
}

/** The box inside a checkbox. */
export function CheckMark() {
  return (
    <span
      className="flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface text-on-accent group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent group-data-indeterminate:bg-accent group-data-selected:border-accent group-data-selected:bg-accent"
      aria-hidden="true"
    >
      <Check size={12} className="invisible group-data-selected:visible" />
    </span>
  )
}

export function Switch({ children, ...toggle }: ToggleProps) {
  return (
    <AriaSwitch {...toggle} className="group flex items-center gap-2 data-disabled:opacity-60">
      <span className="flex h-4.5 w-8 items-center rounded-full bg-line-strong px-0.5 transition-colors group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-1 group-data-focus-visible:outline-accent group-data-selected:bg-accent">
        <span className="size-3.5 rounded-full bg-surface transition-transform group-data-selected:translate-x-3.5" />
      </span>
      {children}
    </AriaSwitch>
  )
}

export function FieldLabel({ label, isLabelHidden, isRequired }: FieldProps) {
  return (
    <Label className={isLabelHidden ? 'sr-only' : 'mb-1 block text-sm font-medium text-ink-soft'}>
      {label}
      {isRequired && <span className="font-normal text-ink-faint"> (required)</span>}
    </Label>
  )
}

export function FieldNotes({ help, error }: FieldProps) {
  return (
    <>
      {help && (
        <Text slot="description" className="mt-1 block text-xs text-ink-faint">
          {help}
        </Text>
      )}
      <FieldError className="mt-1 block text-xs text-bad">{error}</FieldError>
    </>
  )
}

export function stateOf({ error, isDisabled, isRequired }: FieldProps) {
  return {
    isInvalid: error !== undefined,
    isDisabled: isDisabled ?? false,
    isRequired: isRequired ?? false,
    validationBehavior: 'aria' as const,
  }
}
