import { useEffect, useRef } from 'react'
import { TextArea, TextField } from 'react-aria-components'
import { isWriting } from '../input/focus.ts'

/**
 * The composer's text. Enter sends it, Shift+Enter starts a new line. It takes the focus, unless the user writes
 * elsewhere.
 */
export function ComposerField(props: {
  label: string
  placeholder: string
  text: string
  onChange: (text: string) => void
  onSend: () => void
  onFiles?: (files: FileList) => void
}) {
  const { label, placeholder, text, onChange, onSend, onFiles } = props
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (!isWriting()) field.current?.focus()
  }, [])
  return (
    <TextField aria-label={label} value={text} onChange={onChange}>
      <TextArea
        ref={field}
        rows={1}
        placeholder={placeholder}
        className="field-sizing-content max-h-48 min-h-9 w-full resize-none rounded-md border border-line bg-canvas px-2.5 py-2 text-base placeholder:text-ink-faint hover:border-line-strong"
        onPaste={({ clipboardData: { files } }) => {
          if (files.length > 0) onFiles?.(files)
        }}
        onKeyDown={(event) => {
          const isSend = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing
          if (!isSend) return
          event.preventDefault()
          onSend()
        }}
      />
    </TextField>
  )
}
