import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'

/** A choice of two or three options, side by side. */
export function Toggle<T extends string>(props: {
  label: string
  value: T
  onChange: (value: T) => void
  choices: readonly { value: T; label: string }[]
}) {
  return (
    <ToggleButtonGroup
      aria-label={props.label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[props.value]}
      onSelectionChange={(keys) => {
        const chosen = props.choices.find(({ value }) => keys.has(value))
        if (chosen) props.onChange(chosen.value)
      }}
      className="inline-flex rounded-md border border-line bg-sunken p-0.5"
    >
      {props.choices.map(({ value, label }) => (
        <ToggleButton
          key={value}
          id={value}
          className="h-6 cursor-default rounded-sm px-2 text-xs font-medium text-ink-soft hover:text-ink data-selected:bg-surface data-selected:text-ink"
        >
          {label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}
