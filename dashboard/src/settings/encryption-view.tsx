import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/form-dialog.tsx'
import { KeyRound } from '../design/icon.gen.tsx'
import { Card } from '../design/page.tsx'
import { countText } from '../design/text/format.ts'
import { toast } from '../design/toast.tsx'
import { rotateEncryptionKey } from './queries.ts'

/** The encryption key of secrets, and how to rotate it. */
export function EncryptionView() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card className="max-w-prose space-y-3">
      <p>
        Secrets, OAuth tokens and the secrets of OAuth clients are sealed in the database, each with
        a key of its own; the installation's key seals those keys. Changing it is quick, and
        everything goes on meanwhile.
      </p>
      <p className="text-ink-soft">
        This is for a key that Runyard keeps in its data folder. One that is set by{' '}
        <code>RUNYARD_ENCRYPTION_KEY</code> is changed by starting with another, and with this one
        in <code>RUNYARD_ENCRYPTION_KEY_OLD</code>.
      </p>
      <Button icon={<KeyRound size={14} />} onPress={() => setOpen(true)}>
        Change the encryption key
      </Button>
      <ConfirmDialog
        title="Change the encryption key"
        verb="Change it"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          const { resealed } = await rotateEncryptionKey()
          toast(`The key is changed; ${countText(resealed)} secrets are sealed with it.`)
        }}
      >
        <p>
          Runyard makes a new key and seals everything with it. A backup of the database from before
          needs the old key: keep <code>encryption.key</code> with that backup.
        </p>
      </ConfirmDialog>
    </Card>
  )
}
