/** Short messages about a finished action. They disappear by themselves, and screen readers read them. */
import {
  UNSTABLE_Toast as AriaToast,
  Text,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import { Button, IconButton } from './button.tsx'
import { reasonOf } from './error-note.tsx'
import { X } from './icon.gen.tsx'
import { Mark, type Tone } from './status.tsx'

interface Message {
  text: string
  tone: Tone
  /** A button: its text and what it does. */
  action?: readonly [text: string, act: () => void]
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 4 })

/** `action`: a button, offered while the message is visible. `undo`: the same, named Undo. */
export function toast(
  text: string,
  options: Partial<Pick<Message, 'tone' | 'action'>> & { undo?: () => void } = {},
): void {
  const { tone = 'good', undo, action = undo && (['Undo', undo] as const) } = options
  queue.add({ text, tone, ...(action && { action }) }, { timeout: 6_000 })
}

/** Shows why an action failed. */
export function toastError(error: unknown): void {
  toast(reasonOf(error), { tone: 'bad' })
}

/** Where messages appear, once in the shell: over the middle of the top bar, which has no controls. */
export function Toasts() {
  return (
    <ToastRegion
      queue={queue}
      className="fixed top-2 left-1/2 z-50 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 flex-col items-center gap-2 outline-none"
    >
      {({ toast: shown }) => (
        <AriaToast
          toast={shown}
          className="flex items-center gap-3 rounded-md border border-line bg-raised py-2 pr-2 pl-3 shadow-overlay"
        >
          <Mark tone={shown.content.tone} />
          <ToastContent>
            <Text slot="title">{shown.content.text}</Text>
          </ToastContent>
          {shown.content.action && (
            <Button
              size="sm"
              onPress={() => {
                shown.content.action?.[1]()
                queue.close(shown.key)
              }}
            >
              {shown.content.action[0]}
            </Button>
          )}
          <IconButton label="Close" icon={<X size={14} />} slot="close" />
        </AriaToast>
      )}
    </ToastRegion>
  )
}
