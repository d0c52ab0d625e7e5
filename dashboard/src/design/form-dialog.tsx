/** Dialogs with fields to fill in or a question to confirm. */
import { type ReactNode, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from './button.tsx'
import { Actions, Dialog } from './dialog.tsx'
import { ErrorNote } from './error-note.tsx'
import { TextField } from './field.tsx'

interface SendFormProps {
  /** The text of the submit button. */
  verb: string
  kind?: 'primary' | 'danger'
  isDisabled?: boolean
  /** The title above the reason if it fails. */
  failure?: string
  /** Classes for the layout of the fields; default: one below the other. */
  layout?: string
  onSend: () => Promise<unknown>
  onCancel: () => void
  children: ReactNode
}

/** Fields that are submitted together. If `onSend` fails, the form keeps the values and shows the reason. */
export function SendForm({ kind = 'primary', layout = 'space-y-4', ...props }: SendFormProps) {
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const send = async () => {
    if (isPending || props.isDisabled) return
    setPending(true)
    setError(undefined)
    try {
      await props.onSend()
    } catch (reason) {
      setError(reason)
    } finally {
      setPending(false)
    }
  }
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <div className={layout}>{props.children}</div>
      {error !== undefined && (
        <div className="mt-4">
          <ErrorNote error={error} title={props.failure} />
        </div>
      )}
      <Actions>
        <Button onPress={props.onCancel}>Cancel</Button>
        <Button type="submit" kind={kind} isPending={isPending} isDisabled={props.isDisabled}>
          {props.verb}
        </Button>
      </Actions>
    </Form>
  )
}

/** A dialog with a form, open while it is rendered. It closes when `onSend` has succeeded. */
export function FormDialog(
  props: Omit<SendFormProps, 'onCancel'> & {
    title: string
    size?: 'normal' | 'wide'
    onClose: () => void
  },
) {
  const { title, size, onClose, onSend, ...form } = props
  const send = async () => {
    await onSend()
    onClose()
  }
  return (
    <Dialog title={title} size={size} isOpen onClose={onClose}>
      <SendForm {...form} onSend={send} onCancel={onClose} />
    </Dialog>
  )
}

/**
 * Asks before something is deleted and says what goes with it; with `name`, the user must type it. If `onConfirm`
 * fails, it stays open and shows the reason.
 */
export function ConfirmDialog(props: {
  title: string
  isOpen: boolean
  onClose: () => void
  onConfirm: () => Promise<unknown>
  /** The text of the confirm button. */
  verb: string
  name?: string
  children: ReactNode
}) {
  const [typed, setTyped] = useState('')
  const close = () => {
    setTyped('')
    props.onClose()
  }
  const confirm = async () => {
    await props.onConfirm()
    close()
  }
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={close}>
      <SendForm
        verb={props.verb}
        kind="danger"
        isDisabled={props.name !== undefined && typed !== props.name}
        layout="space-y-3"
        onSend={confirm}
        onCancel={close}
      >
        {props.children}
        {props.name && (
          <TextField
            label={`Type ${props.name} to go on`}
            value={typed}
            onChange={setTyped}
            autoFocus
          />
        )}
      </SendForm>
    </Dialog>
  )
}
