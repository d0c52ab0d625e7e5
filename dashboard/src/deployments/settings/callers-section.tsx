import type { Deployment } from '@runyard/client'
import { useState } from 'react'
import { Switch } from '../../design/field.tsx'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { Card, Section } from '../../design/page.tsx'
import { Mark } from '../../design/status.tsx'
import { usePatch } from './patch.ts'

/** Who may call the deployment: callers with a key, or everyone. Asks before making it public. */
export function CallersSection(props: { deployment: Deployment; mayWrite: boolean }) {
  const { deployment, mayWrite } = props
  const { name, is_public } = deployment
  const [isAsking, setAsking] = useState(false)
  const open = usePatch(deployment, `${name} is public.`)
  const close = usePatch(deployment, `${name} is private.`)
  return (
    <Section title="Callers">
      <Card className="space-y-2">
        <Switch
          isSelected={is_public}
          onChange={(isWanted) => (isWanted ? setAsking(true) : close.mutate({ is_public: false }))}
          isDisabled={!mayWrite || close.isPending}
        >
          Public: callers need no key
        </Switch>
        {is_public && (
          <p className="flex items-baseline gap-2 font-medium">
            <span className="shrink-0">
              <Mark tone="wait" />
            </span>
            All callers share its threads and its store.
          </p>
        )}
        <p className="max-w-prose text-sm text-ink-soft">
          {is_public
            ? 'If the project has its own auth, that still decides. The Studio here still needs a key.'
            : 'Callers need a key of this workspace, unless the project has its own auth.'}
        </p>
      </Card>
      <ConfirmDialog
        title={`Make ${name} public`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        verb="Make public"
        onConfirm={() => open.mutateAsync({ is_public: true })}
      >
        <p>
          Every client that reaches its address can then, without a key, list, read, change and
          delete every thread, run, cron and item of its store, and start runs that you pay for.
        </p>
        <p>
          To keep users apart, give the project its own auth instead. You can make it private again
          at any time.
        </p>
      </ConfirmDialog>
    </Section>
  )
}
