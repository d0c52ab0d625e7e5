import type { Deployment, Listener } from '@runyard/client'
import { ConfirmDialog } from '../design/form-dialog.tsx'
import { toast } from '../design/toast.tsx'
import { deleteListener, revokeListenerKey } from './queries.ts'

/** The action on listeners that the user has started. */
export type Doing =
  | { what: 'create' }
  | { what: 'new-key' | 'revoke-key' | 'delete'; listener: Listener }

interface LeavingProps {
  doing: Doing | undefined
  /** The deployments that run at the listener. */
  deployments: readonly Deployment[]
  onClose: () => void
  onDone: () => Promise<unknown>
}

/** Asks before a listener's key is revoked, or the listener deleted. */
export function LeavingDialog({ doing, deployments, onClose, onDone }: LeavingProps) {
  const what = doing?.what
  const listener = doing && 'listener' in doing ? doing.listener : undefined
  const name = listener?.compute_id ?? ''
  const names = deployments.map((one) => one.name).join(', ')
  return (
    <>
      <ConfirmDialog
        title={`Revoke the key of ${name}`}
        verb="Revoke the key"
        isOpen={what === 'revoke-key'}
        onClose={onClose}
        onConfirm={async () => {
          if (!listener) return
          await revokeListenerKey(listener.id)
          await onDone()
          toast(`The key of ${name} is revoked.`)
        }}
      >
        <p>
          The listener gets no orders until it is started with another key. What runs there goes on.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        title={`Delete ${name}`}
        verb="Delete the listener"
        isOpen={what === 'delete'}
        onClose={onClose}
        {...(listener && { name })}
        onConfirm={async () => {
          if (!listener) return
          await deleteListener(listener.id)
          await onDone()
          toast(`${name} is deleted.`)
        }}
      >
        {names === '' ? (
          <p>Nothing runs there. Its key goes with it: a listener that is started with it ends.</p>
        ) : (
          <p>
            It can be deleted once what runs there is: <strong>{names}</strong>.
          </p>
        )}
      </ConfirmDialog>
    </>
  )
}
