/** A form for a new cron that shows the schedule in words while the user types. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { assistantsQuery } from '../api/assistants.ts'
import { Checkbox, SelectField, TextField } from '../design/field.tsx'
import { FormDialog } from '../design/form-dialog.tsx'
import { JsonEditor } from '../design/json/editor.tsx'
import { jsonObject } from '../design/json/object.ts'
import { toast } from '../design/toast.tsx'
import { ServerField } from '../shell/servers-page.tsx'
import { NextTimes } from './next-times.tsx'
import { useCronAction } from './queries.ts'
import { nextTimes, scheduleText } from './schedule.ts'

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

export function NewCronDialog(props: { servers: readonly AgentServer[]; onClose: () => void }) {
  const { servers, onClose } = props
  const [server, setServer] = useState(servers[0] as AgentServer)
  const { data: assistants = [] } = useQuery(assistantsQuery(server))
  const [assistant, setAssistant] = useState<string>()
  const [schedule, setSchedule] = useState('0 9 * * 1-5')
  const [timezone, setTimezone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [thread, setThread] = useState('')
  const [input, setInput] = useState('{}')
  const [isKept, setKept] = useState(true)
  const action = useCronAction(server)
  const chosen = assistant ?? assistants[0]?.assistant_id
  const isDue = nextTimes(schedule, timezone, 1) !== undefined
  const value = jsonObject(input)
  const create = async () => {
    if (!chosen || value === undefined) return
    const payload = { schedule, timezone, input: value }
    await action.mutateAsync(() =>
      thread
        ? server.client.crons.createForThread(thread.trim(), chosen, payload)
        : server.client.crons.create(chosen, {
            ...payload,
            onRunCompleted: isKept ? 'keep' : 'delete',
          }),
    )
    toast('The cron is created.')
  }
  return (
    <FormDialog
      title="New cron"
      size="wide"
      layout="grid gap-4 md:grid-cols-2"
      verb="Create"
      isDisabled={!chosen || !isDue || value === undefined}
      failure="The cron could not be created."
      onSend={create}
      onClose={onClose}
    >
      <ServerField
        servers={servers}
        value={server}
        onChange={(one) => {
          setServer(one)
          setAssistant(undefined)
        }}
      />
      <SelectField
        label="Assistant"
        value={chosen}
        onChange={setAssistant}
        choices={assistants.map((one) => ({
          value: one.assistant_id,
          label: one.name,
          ...(one.name !== one.graph_id && { help: one.graph_id }),
        }))}
      />
      <SelectField
        label="Time zone"
        value={timezone}
        onChange={setTimezone}
        choices={ZONES.map((zone) => ({ value: zone, label: zone }))}
      />
      <TextField
        label="Schedule"
        value={schedule}
        onChange={setSchedule}
        isMono
        help={isDue ? scheduleText(schedule) : 'Minute, hour, day of the month, month, weekday'}
        {...(!isDue && { error: 'Not a valid cron expression.' })}
      />
      <NextTimes schedule={schedule} timezone={timezone} count={3} />
      <div className="space-y-2 md:col-span-2">
        <TextField
          label="Thread"
          value={thread}
          onChange={setThread}
          isMono
          placeholder="A new one for each run"
          help="Optional thread id; runs queue on that thread."
        />
        {!thread && (
          <Checkbox isSelected={isKept} onChange={setKept}>
            Keep the thread of each run
          </Checkbox>
        )}
      </div>
      <div className="md:col-span-2">
        <p className="mb-1 text-sm font-medium text-ink-soft">Input</p>
        <JsonEditor label="Input" text={input} onChange={setInput} />
      </div>
    </FormDialog>
  )
}
