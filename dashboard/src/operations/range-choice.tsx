import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { RANGES, type RangeName } from './search.ts'

const NAMES = Object.keys(RANGES) as RangeName[]

/** Chooses the time range, which ends now. */
export function RangeChoice(props: { value: RangeName; onChange: (value: RangeName) => void }) {
  return (
    <ToggleButtonGroup
      aria-label="Time range"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[props.value]}
      onSelectionChange={([key]) => {
        const name = NAMES.find((one) => one === key)
        if (name) props.onChange(name)
      }}
      className="inline-flex overflow-hidden rounded-md border border-line bg-surface"
    >
      {NAMES.map((name) => (
        <ToggleButton
          key={name}
          id={name}
          className="h-7.5 cursor-default border-l border-line px-3 text-sm font-medium text-ink-soft first:border-0 hover:bg-hover data-focus-visible:-outline-offset-2 data-selected:bg-accent-soft data-selected:text-accent"
        >
          {RANGES[name]} h
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}
