/** The field for a message. Enter sends it, Shift+Enter starts a new line. */
import { ArrowUp, Paperclip, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { FileTrigger, TextArea, TextField } from 'react-aria-components'
import { Button, IconButton } from '../../design/button.tsx'
import { reasonOf } from '../../design/error-note.tsx'
import { bytesText } from '../../design/text/format.ts'
import { toast } from '../../design/toast.tsx'
import { StopButton } from '../input/stop-button.tsx'
import { StrategyMenu, useStrategy } from '../input/strategy-menu.tsx'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { type Attachment, contentOf, MOST_BYTES, readAttachment } from './attachments.ts'

export function Composer() {
  const { submit, messagesKey = 'messages', threadId } = useStudio()
  const { isRunning } = useStudioStream()
  const [text, setText] = useState('')
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const strategy = useStrategy()
  const field = useRef<HTMLTextAreaElement>(null)
  const canSend = text.trim() !== '' || attachments.length > 0

  const send = async () => {
    if (!canSend) return
    const kept = { text, attachments }
    setText('')
    setAttachments([])
    const content = contentOf(text, attachments)
    const said = { type: 'human', id: crypto.randomUUID(), content }
    try {
      await submit(
        { input: { [messagesKey]: [said] } },
        isRunning ? { multitaskStrategy: strategy.value } : {},
      )
    } catch (error) {
      setText(kept.text)
      setAttachments(kept.attachments)
      toast(`It was not sent: ${reasonOf(error)}`, { tone: 'bad' })
    }
  }
  const attach = async (files: FileList | File[] | null) => {
    for (const file of Array.from(files ?? [])) {
      if (file.size > MOST_BYTES) {
        toast(`${file.name} is larger than ${bytesText(MOST_BYTES)}.`, { tone: 'bad' })
        continue
      }
      const read = await readAttachment(file)
      setAttachments((before) => [...before, read])
    }
  }
  return (
    <form
      key={threadId}
      aria-label="Say something"
      className="shrink-0 border-t border-line bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <div className="mx-auto max-w-3xl space-y-2">
        <Attached
          attachments={attachments}
          remove={(one) => setAttachments(attachments.filter((other) => other !== one))}
        />
        <TextField aria-label="Message" value={text} onChange={setText} autoFocus>
          <TextArea
            ref={field}
            rows={1}
            placeholder={isRunning ? 'Say something meanwhile' : 'Say something'}
            className="field-sizing-content max-h-48 min-h-9 w-full resize-none rounded-md border border-line bg-canvas px-2.5 py-2 text-base placeholder:text-ink-faint hover:border-line-strong"
            onPaste={(event) => {
              const { files } = event.clipboardData
              if (files.length > 0) void attach(files)
            }}
            onKeyDown={(event) => {
              const isSend =
                event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing
              if (!isSend) return
              event.preventDefault()
              void send()
            }}
          />
        </TextField>
        <div className="flex flex-wrap items-center gap-2">
          <FileTrigger allowsMultiple onSelect={(files) => void attach(files)}>
            <IconButton label="Attach images or files" icon={<Paperclip size={15} />} />
          </FileTrigger>
          <span className="flex-1" />
          {isRunning && <StrategyMenu strategy={strategy} />}
          {isRunning && <StopButton />}
          <Button type="submit" kind="primary" icon={<ArrowUp size={14} />} isDisabled={!canSend}>
            Send
          </Button>
        </div>
      </div>
    </form>
  )
}

function Attached(props: {
  attachments: readonly Attachment[]
  remove: (attachment: Attachment) => void
}) {
  if (props.attachments.length === 0) return null
  return (
    <ul aria-label="Attached" className="flex flex-wrap gap-2">
      {props.attachments.map((one) => (
        <li
          key={one.url}
          className="flex items-center gap-1.5 rounded-md border border-line bg-canvas py-0.5 pr-0.5 pl-1.5 text-sm"
        >
          {one.type.startsWith('image/') && (
            <img src={one.url} alt="" className="size-6 rounded-sm object-cover" />
          )}
          <span className="max-w-40 truncate">{one.name}</span>
          <IconButton
            label={`Leave ${one.name} out`}
            icon={<X size={13} />}
            onPress={() => props.remove(one)}
          />
        </li>
      ))}
    </ul>
  )
}
