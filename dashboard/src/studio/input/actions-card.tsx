/** Actions that the agent proposes: the user approves, edits, answers or rejects each. */

import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { TextAreaField } from '../../design/field.tsx'
import { Check, MessageSquareReply, Pencil, X } from '../../design/icon.gen.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { SchemaEditor } from '../../design/schema/editor.tsx'
import { Badge } from '../../design/status.tsx'
import { Markdown } from '../../design/text/markdown.tsx'
import type { ActionRequest, Answer, Decision, InterruptShape, Json } from './interrupt-shape.ts'
import { resumeOf } from './interrupt-shape.ts'

type Actions = Extract<InterruptShape, { kind: 'actions' }>

export function ActionsCard(props: {
  shape: Actions
  answer: (value: unknown) => void
  isPending: boolean
}) {
  const { shape, answer, isPending } = props
  const [answers, setAnswers] = useState<readonly (Answer | undefined)[]>([])
  const isAlone = shape.requests.length === 1
  const decide = (index: number, decided: Answer | undefined) => {
    const after = shape.requests.map((_, at) => (at === index ? decided : answers[at]))
    setAnswers(after)
    if (isAlone && decided) answer(resumeOf(shape, [decided]))
  }
  const given = answers.filter((one) => one !== undefined)
  return (
    <>
      {shape.requests.map((request, index) => (
        <Request
          // biome-ignore lint/suspicious/noArrayIndexKey: the requests do not change
          key={index}
          request={request}
          decided={isAlone ? undefined : answers[index]}
          decide={(one) => decide(index, one)}
          isPending={isPending}
        />
      ))}
      {!isAlone && (
        <Button
          kind="primary"
          isPending={isPending}
          isDisabled={given.length < shape.requests.length}
          onPress={() => answer(resumeOf(shape, given))}
        >
          {`Send ${given.length} of ${shape.requests.length} decisions`}
        </Button>
      )}
    </>
  )
}

interface RequestProps {
  request: ActionRequest
  /** The decision made already, while others are pending. */
  decided: Answer | undefined
  decide: (answer: Answer | undefined) => void
  isPending: boolean
}

function Request({ request, decided, decide, isPending }: RequestProps) {
  const [writing, setWriting] = useState<Exclude<Decision, 'approve'>>()
  const { name, args, description, allowed } = request
  return (
    <fieldset className="space-y-2" aria-label={`Decide about ${name}`}>
      <p>
        The agent wants to call <code className="font-medium">{name}</code>
      </p>
      {description && (
        <div className="text-ink-soft">
          <Markdown text={description} />
        </div>
      )}
      {writing !== 'edit' && (
        <div className="rounded-md border border-line bg-sunken p-2">
          <JsonView value={args} openDepth={3} />
        </div>
      )}
      {decided ? (
        <div className="flex items-center gap-2">
          <Badge tone={decided.type === 'reject' ? 'bad' : 'good'}>{SAID[decided.type]}</Badge>
          <Button size="sm" kind="quiet" onPress={() => decide(undefined)}>
            Decide again
          </Button>
        </div>
      ) : writing === 'edit' ? (
        <EditArguments request={request} decide={decide} cancel={() => setWriting(undefined)} />
      ) : writing ? (
        <Reply type={writing} decide={decide} cancel={() => setWriting(undefined)} />
      ) : (
        <div className="flex flex-wrap gap-2">
          {allowed.includes('approve') && (
            <Button
              kind="primary"
              icon={<Check size={14} />}
              isPending={isPending}
              onPress={() => decide({ type: 'approve' })}
            >
              Approve
            </Button>
          )}
          {WRITTEN.filter(({ type }) => allowed.includes(type)).map(({ type, verb, ...look }) => (
            <Button key={type} {...look} isDisabled={isPending} onPress={() => setWriting(type)}>
              {verb}
            </Button>
          ))}
        </div>
      )}
    </fieldset>
  )
}

/** The decisions that need a text. */
const WRITTEN = [
  { type: 'edit', verb: 'Edit', kind: 'plain', icon: <Pencil size={14} /> },
  { type: 'respond', verb: 'Reply', kind: 'plain', icon: <MessageSquareReply size={14} /> },
  { type: 'reject', verb: 'Reject', kind: 'danger', icon: <X size={14} /> },
] as const

const SAID: Record<Decision, string> = {
  approve: 'Approved',
  edit: 'Edited',
  respond: 'Replied to',
  reject: 'Rejected',
}

interface WritingProps {
  decide: (answer: Answer) => void
  cancel: () => void
}

function EditArguments({ request, decide, cancel }: WritingProps & { request: ActionRequest }) {
  const { name, schema } = request
  const args = request.args as Json
  const [edited, setEdited] = useState<Json | undefined>(args)
  return (
    <>
      <SchemaEditor
        label={`Arguments of ${name}`}
        schema={schema}
        value={args}
        onChange={setEdited}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          isDisabled={!edited}
          onPress={() => edited && decide({ type: 'edit', name, args: edited })}
        >
          Approve as edited
        </Button>
        <Button onPress={cancel}>Cancel</Button>
      </div>
    </>
  )
}

function Reply({ type, decide, cancel }: WritingProps & { type: 'respond' | 'reject' }) {
  const [text, setText] = useState('')
  const isReply = type === 'respond'
  const send = () => {
    if (isReply) decide({ type: 'respond', message: text })
    else decide({ type: 'reject', ...(text && { message: text }) })
  }
  return (
    <>
      <TextAreaField
        label={isReply ? 'What the agent gets instead of a result' : 'Why not (may be left out)'}
        value={text}
        onChange={setText}
        rows={2}
        autoFocus
      />
      <div className="flex flex-wrap gap-2">
        <Button
          kind={isReply ? 'primary' : 'danger'}
          isDisabled={isReply && text.trim() === ''}
          onPress={send}
        >
          {isReply ? 'Reply' : 'Reject'}
        </Button>
        <Button onPress={cancel}>Cancel</Button>
      </div>
    </>
  )
}
