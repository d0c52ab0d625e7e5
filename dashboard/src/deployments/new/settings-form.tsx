import type { SourceConfigRequest } from '@runyard/client'
import { TextField } from '../../design/field.tsx'
import { mostServers, mostServersHelp } from './scale.ts'

/** What the user has entered of a deployment's settings; empty: the default. */
export interface WrittenSettings {
  minScale: string
  maxScale: string
  memoryMb: string
  installCommand: string
  buildCommand: string
}

export const NO_SETTINGS: WrittenSettings = {
  minScale: '',
  maxScale: '',
  memoryMb: '',
  installCommand: '',
  buildCommand: '',
}

export function SettingsForm(props: {
  value: WrittenSettings
  onChange: (value: WrittenSettings) => void
  isDisabled?: boolean
}) {
  const { value, onChange } = props
  const field = (name: keyof WrittenSettings) => ({
    value: value[name],
    onChange: (text: string) => onChange({ ...value, [name]: text }),
    isDisabled: props.isDisabled ?? false,
  })
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <TextField
        {...field('minScale')}
        label="Minimum instances"
        placeholder="1"
        type="number"
        help="0: it sleeps while it has no requests."
        {...problemOf(value.minScale)}
      />
      <TextField
        {...field('maxScale')}
        label="Maximum instances"
        placeholder={isWellWritten(value) ? String(mostServers({ ...value, maxScale: '' })) : '1'}
        type="number"
        help={mostServersHelp(value)}
        {...problemOf(value.maxScale)}
      />
      <TextField
        {...field('memoryMb')}
        label="Memory limit in MB"
        placeholder="none"
        type="number"
        help="Of each server; beyond it, it is started again."
        {...problemOf(value.memoryMb)}
      />
      <div className="grid gap-4 sm:col-span-3 sm:grid-cols-2">
        <TextField
          {...field('installCommand')}
          label="Install command"
          placeholder="by its lock file"
          isMono
        />
        <TextField {...field('buildCommand')} label="Build command" placeholder="none" isMono />
      </div>
    </div>
  )
}

export function isWellWritten({ minScale, maxScale, memoryMb }: WrittenSettings): boolean {
  return [minScale, maxScale, memoryMb].every((text) => !('error' in problemOf(text)))
}

/** Only the entered settings. `before`: a resource_spec is replaced as a whole, so cleared values go. */
export function settingsOf(
  written: WrittenSettings,
  before: Record<string, unknown> = {},
): SourceConfigRequest {
  const { minScale, maxScale, memoryMb, installCommand, buildCommand } = written
  const numbers = { min_scale: minScale, max_scale: maxScale, memory_limit_mb: memoryMb }
  const given = Object.entries(numbers).filter(([, text]) => text !== '')
  const kept = Object.entries(before).filter(([name]) => !(name in numbers))
  const spec = [...kept, ...given.map(([name, text]) => [name, Number(text)] as const)]
  return {
    ...(spec.length + Object.keys(before).length > 0 && {
      resource_spec: Object.fromEntries(spec),
    }),
    ...(installCommand && { install_command: installCommand }),
    ...(buildCommand && { build_command: buildCommand }),
  }
}

function problemOf(text: string): { error?: string } {
  return text === '' || /^\d{1,9}$/.test(text) ? {} : { error: 'A whole number, 0 or more.' }
}
