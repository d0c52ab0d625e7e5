/** Chooses what happens to a run in progress when another one starts on its thread. */
import { useState } from 'react'
import { type Choice, SelectField } from '../../design/field.tsx'
import type { MultitaskStrategy } from '../studio-context.tsx'

const STRATEGIES: readonly Choice<MultitaskStrategy>[] = [
  { value: 'enqueue', label: 'Wait in line', help: 'It begins once the run that goes on is over.' },
  { value: 'interrupt', label: 'Interrupt', help: 'The run that goes on ends; what it did stays.' },
  { value: 'rollback', label: 'Roll back', help: 'The run that goes on is undone and deleted.' },
  { value: 'reject', label: 'Refuse', help: 'Nothing is begun while a run goes on.' },
]

export interface Strategy {
  value: MultitaskStrategy
  set: (value: MultitaskStrategy) => void
}

export function useStrategy(): Strategy {
  const [value, set] = useState<MultitaskStrategy>('enqueue')
  return { value, set }
}

export function StrategyMenu({ strategy }: { strategy: Strategy }) {
  return (
    <div className="w-36">
      <SelectField
        label="While a run goes on"
        isLabelHidden
        value={strategy.value}
        onChange={strategy.set}
        choices={STRATEGIES}
      />
    </div>
  )
}
