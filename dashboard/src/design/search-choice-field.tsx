/** A text field that suggests choices matching the typed words; any other text is accepted too. */
import { type ReactNode, useState } from 'react'
import {
  Button,
  ComboBox,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
  useFilter,
} from 'react-aria-components'
import { classes } from './classes.ts'
import { CONTROL, FieldLabel, FieldNotes, type FieldProps, stateOf } from './field.tsx'
import { ChevronDown } from './icon.gen.tsx'

export interface SearchChoice {
  /** The field's value once chosen. */
  id: string
  label: string
  /** Before the label. */
  mark?: ReactNode
  /** Below the label. */
  help?: ReactNode
  /** More words to search, beside its label and its id. */
  words?: string
}

/** Shows all choices until the user types, then those that contain every typed word. */
export function SearchChoiceField(
  props: FieldProps & {
    value: string
    onChange: (value: string) => void
    choices: readonly SearchChoice[]
    isMono?: boolean
    placeholder?: string
    /** A search: the key `/` leads here, and a choice is not kept as the value but given to this. */
    onFind?: (id: string) => void
  },
) {
  const { value, onChange, choices, onFind } = props
  const { contains } = useFilter({ sensitivity: 'base' })
  const [isSearched, setSearched] = useState(false)
  const words = value.trim().split(/\s+/)
  const found = choices.filter((one) => {
    const text = `${one.label} ${one.words ?? ''} ${one.id}`
    return words.every((word) => contains(text, word))
  })
  return (
    <ComboBox<SearchChoice>
      items={isSearched ? found : choices}
      inputValue={value}
      onInputChange={(text) => {
        setSearched(true)
        if (text !== value) onChange(text)
      }}
      value={!onFind && choices.some((one) => one.id === value) ? value : null}
      onChange={(key) => key !== null && (onFind ?? onChange)(String(key))}
      onOpenChange={(isOpen, trigger) => isOpen && trigger !== 'input' && setSearched(false)}
      menuTrigger="focus"
      allowsCustomValue
      {...stateOf(props)}
    >
      <FieldLabel {...props} />
      <div className="relative">
        <Input
          placeholder={props.placeholder}
          data-search-field={onFind && ''}
          onFocus={(event) => event.currentTarget.select()}
          className={classes(CONTROL, 'pr-8', props.isMono && 'font-mono text-sm')}
        />
        <Button className="absolute inset-y-0 right-0 px-2.5 text-ink-faint">
          <ChevronDown size={14} aria-hidden="true" />
        </Button>
      </div>
      <FieldNotes {...props} />
      <Popover className="w-(--trigger-width) min-w-64 rounded-md border border-line bg-raised shadow-overlay">
        <ListBox<SearchChoice> className="max-h-80 overflow-auto p-1 outline-none">
          {(choice) => <Offer choice={choice} />}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}

function Offer({ choice: { id, label, mark, help } }: { choice: SearchChoice }) {
  return (
    <ListBoxItem
      id={id}
      textValue={label}
      className="flex cursor-default items-baseline gap-2 rounded-sm px-2 py-1 data-focused:bg-hover data-selected:bg-accent-soft"
    >
      {mark}
      <span className="min-w-0 flex-1">
        <Text slot="label" className="block truncate">
          {label}
        </Text>
        {help && (
          <Text slot="description" className="block truncate text-xs text-ink-faint">
            {help}
          </Text>
        )}
      </span>
    </ListBoxItem>
  )
}
