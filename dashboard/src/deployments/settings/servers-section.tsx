import type { Deployment, DeploymentPatchRequest, SourceConfigRequest } from '@runyard/client'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { SelectField, Switch, TextField } from '../../design/field.tsx'
import { Card, Section } from '../../design/page.tsx'
import {
  isWellWritten,
  SettingsForm,
  settingsOf,
  type WrittenSettings,
} from '../new/settings-form.tsx'
import { usePatch } from './patch.ts'

type ParkedThreadsRule = NonNullable<SourceConfigRequest['parked_threads']>

const RULES = [
  { value: 'warn', label: 'Deploy with a warning' },
  { value: 'block', label: 'Block the deploy' },
] as const

/** The number of servers, the build, and what a rollout does about parked threads. */
export function ServersSection(props: { deployment: Deployment; mayWrite: boolean }) {
  const { deployment, mayWrite } = props
  const { source, source_config: config } = deployment
  const [displayName, setDisplayName] = useState(deployment.display_name ?? '')
  const [written, setWritten] = useState<WrittenSettings>(writtenOf(deployment))
  const [rule, setRule] = useState<ParkedThreadsRule>(config.parked_threads ?? 'warn')
  const [isBuiltOnPush, setBuiltOnPush] = useState(config.build_on_push === true)
  const patch = usePatch(deployment, 'The settings are changed.')
  const change = changeOf(deployment, { displayName, written, rule, isBuiltOnPush })
  const isSame = Object.keys(change).length === 0
  return (
    <Section title="Servers and build">
      <Card>
        <Form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault()
            patch.mutate(change)
          }}
        >
          <fieldset disabled={!mayWrite} className="space-y-4">
            <legend className="sr-only">Servers and build</legend>
            <TextField
              label="Display name"
              value={displayName}
              onChange={setDisplayName}
              placeholder={deployment.name}
              help="Default: its name."
              isDisabled={!mayWrite}
            />
            <SettingsForm value={written} onChange={setWritten} isDisabled={!mayWrite} />
            <SelectField
              label="If open threads would break"
              value={rule}
              onChange={(value) => setRule(value === 'block' ? 'block' : 'warn')}
              choices={RULES}
              isDisabled={!mayWrite}
            />
            {source === 'github' && (
              <Switch isSelected={isBuiltOnPush} onChange={setBuiltOnPush} isDisabled={!mayWrite}>
                Create a revision of each push to the branch
              </Switch>
            )}
          </fieldset>
          {mayWrite && (
            <div className="flex flex-wrap items-center gap-3">
              <Button
                type="submit"
                kind="primary"
                isPending={patch.isPending}
                isDisabled={isSame || !isWellWritten(written)}
              >
                Save
              </Button>
              {!isSame && (
                <p className="text-sm text-ink-soft">
                  {makesRevision(change)
                    ? 'A new revision rolls out with it.'
                    : 'Takes effect at once, without a new revision.'}
                </p>
              )}
            </div>
          )}
        </Form>
      </Card>
    </Section>
  )
}

function writtenOf({ source_config: config }: Deployment): WrittenSettings {
  const { min_scale, max_scale, memory_limit_mb } = config.resource_spec ?? {}
  const text = (value: unknown) => (typeof value === 'number' ? String(value) : '')
  return {
    minScale: text(min_scale),
    maxScale: text(max_scale),
    memoryMb: text(memory_limit_mb),
    installCommand: config.install_command ?? '',
    buildCommand: config.build_command ?? '',
  }
}

/** Only the values that differ from the current ones. */
function changeOf(
  deployment: Deployment,
  given: {
    displayName: string
    written: WrittenSettings
    rule: ParkedThreadsRule
    isBuiltOnPush: boolean
  },
): DeploymentPatchRequest {
  const { source_config: config, display_name } = deployment
  const before = settingsOf(writtenOf(deployment), config.resource_spec ?? {})
  const wanted = settingsOf(given.written, config.resource_spec ?? {})
  const isOther = (name: keyof SourceConfigRequest) =>
    JSON.stringify(before[name]) !== JSON.stringify(wanted[name])
  const settings: SourceConfigRequest = {
    ...(isOther('resource_spec') && { resource_spec: wanted.resource_spec }),
    ...(isOther('install_command') && { install_command: wanted.install_command ?? '' }),
    ...(isOther('build_command') && { build_command: wanted.build_command ?? '' }),
    ...((config.parked_threads ?? 'warn') !== given.rule && { parked_threads: given.rule }),
    ...((config.build_on_push === true) !== given.isBuiltOnPush && {
      build_on_push: given.isBuiltOnPush,
    }),
  }
  const name = given.displayName.trim()
  return {
    ...(name !== (display_name ?? '') && { display_name: name }),
    ...(Object.keys(settings).length > 0 && { source_config: settings }),
  }
}

function makesRevision({ source_config }: DeploymentPatchRequest): boolean {
  const { resource_spec, install_command, build_command } = source_config ?? {}
  return [resource_spec, install_command, build_command].some((one) => one !== undefined)
}
